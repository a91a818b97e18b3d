"""Nodes that the cluster has none of: the cheapest instance of its cloud that does, by the price list."""

from collections.abc import Iterator, Mapping

from aliquot.advisor.gpus import GPU, gpus_of
from aliquot.advisor.remedies.new_node.groups import provider_of
from aliquot.advisor.remedies.new_node.templates import TYPE, Template
from aliquot.devices.catalogue import find
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.pricing.instances import Instance, default_prices
from aliquot.snapshot.snapshot import Snapshot

SHARED = f"{GPU}.shared"
"""What the device plugin calls shares where it's set to rename them (renameByDefault)."""
ARM = ("GH200", "GB200", "GB300")
"""Their host processor is NVIDIA's Grace."""


def instances(snapshot: Snapshot, wanted: Mapping[str, int]) -> Iterator[Template]:
    """Those with enough whole NVIDIA GPUs, cheapest first; none where nothing shows a cloud: nobody can order one."""
    count = wanted.get(GPU)
    provider = provider_of(snapshot)
    if count is None or len(wanted) > 1 or not provider:
        return
    least = _least_memory(snapshot)
    for row in _cheapest_first(count, provider):
        model = find(row.gpu_model)
        if model is None or (model.memory_mib or 0) < least:
            continue
        memory = f", {model.memory_mib} MiB" if model.memory_mib else ""
        note = f"{row.provider}, {row.gpu_model}{memory}"
        yield Template(_node(row), (), "", 0, note, renamed=SHARED if _renames(snapshot) else "")


def _renames(snapshot: Snapshot) -> bool:
    """Whether nodes offer their GPUs as shares, by the other name only."""
    amounts = [node.allocatable for node in snapshot.nodes.values()]
    return any(one.get(SHARED) for one in amounts) and not any(one.get(GPU) for one in amounts)


def _node(row: Instance) -> Node:
    labels = {
        TYPE: row.instance_type,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "arm64" if row.gpu_model.startswith(ARM) else "amd64",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.count": str(int(row.gpu_count or 0)),
    }
    return Node(
        Meta("", labels=labels),
        allocatable={
            "cpu": _left_of_cpu(row.vcpu or 0),
            "memory": _left_of_memory(row.memory_mib or 0) << 20,
            "pods": 110,
            "ephemeral-storage": 100 << 30,
            GPU: int(row.gpu_count or 0),
        },
    )


def _cheapest_first(count: int, provider: str) -> list[Instance]:
    """Priced instances with at least so many whole NVIDIA GPUs."""
    found = [
        row
        for row in default_prices().instances
        if row.usd_per_hour is not None
        and (row.gpu_count or 0) >= max(1, count)
        and _nvidia(row.gpu_model)
        and provider == row.provider
    ]
    return sorted(found, key=lambda row: (row.usd_per_hour or 0.0, row.instance_type))


def _least_memory(snapshot: Snapshot) -> int:
    """MiB of the smallest GPU that the cluster counts: a pod that runs beside those isn't meant for less."""
    sizes = [
        gpus.memory_mib for node in snapshot.nodes.values() if (gpus := gpus_of(node)) is not None and gpus.memory_mib
    ]
    return min(sizes, default=0)


def _left_of_cpu(cores: int) -> int:
    """Millicores that pods get: GKE's published reserve, 6 % of the first core, 1 % of the second, then less."""
    reserved = sum(60 if nth == 0 else 10 if nth == 1 else 5 if nth < 4 else 2.5 for nth in range(cores))
    return int(cores * 1000 - reserved)


def _left_of_memory(mib: int) -> int:
    """MiB that pods get: GKE's published reserve, 25 % of the first 4 GiB, then 20, 10, 6 and 2 %, and 100 MiB."""
    reserved, left = 100.0, float(mib)
    for gib, share in ((4, 0.25), (4, 0.2), (8, 0.1), (112, 0.06), (1 << 20, 0.02)):
        part = min(left, gib * 1024)
        reserved += part * share
        left -= part
    return int(mib - reserved)


def _nvidia(model: str) -> bool:
    known = find(model)
    return known is not None and known.vendor == "nvidia"
