"""What a node's counted resources are: whole GPUs, shares of them, MIG instances; how large, and how separate."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from aliquot.advisor.wayout import Isolation
from aliquot.devices.catalogue import GpuModel, ProductLabel, parse_label
from aliquot.devices.mig import Geometry, Profile, geometry_of, memory_of
from aliquot.devices.mig.legal_layouts import Uniform, uniform_layouts
from aliquot.kube.node import Node
from aliquot.sharing.configs import MIG_CONFIG_LABEL
from aliquot.sharing.strategies import ISOLATION, Strategy

GPU = "nvidia.com/gpu"
MIG_PREFIX = "nvidia.com/mig-"
PRODUCT = "nvidia.com/gpu.product"
COUNT = "nvidia.com/gpu.count"
REPLICAS = "nvidia.com/gpu.replicas"
MEMORY = "nvidia.com/gpu.memory"
SHARING = "nvidia.com/gpu.sharing-strategy"
TITLES = {
    Strategy.WHOLE: "a whole GPU",
    Strategy.MIG: "MIG",
    Strategy.MPS: "MPS",
    Strategy.TIME_SLICING: "time-slicing",
    Strategy.MIG_MPS: "MPS on a MIG instance",
}


def family(resource: str) -> str:
    """Resources with one family are cut from the same devices: GPUs, replicas and MIG instances of one vendor."""
    domain, _, rest = resource.partition("/")
    return domain if rest.startswith(("gpu", "mig-", "vgpu")) else resource


@dataclass(frozen=True, slots=True)
class NodeGpus:
    """The NVIDIA GPUs of a node, as its labels (GPU feature discovery) and its resources tell."""

    label: ProductLabel
    model: GpuModel | None
    replicas: int
    """Advertised shares of each GPU; 1: not shared."""
    memory_mib: int | None
    """Of one whole GPU: as the node reports it, else from the catalogue."""
    reported: bool
    """The node says so itself."""

    @property
    def memory_words(self) -> str:
        """`40960 MiB`, and that it's the catalogue's number where the node reports none."""
        return f"{self.memory_mib} MiB" if self.reported else f"{self.memory_mib} MiB (by the catalogue)"

    @property
    def geometry(self) -> Geometry | None:
        """How MIG may cut them; None if it can't, or if nobody knows how."""
        found = geometry_of(self.model) if self.model is not None else None
        return found if found is not None and found.known else None


def gpus_of(node: Node) -> NodeGpus | None:
    """None: the node doesn't say which GPUs it has."""
    product = node.meta.labels.get(PRODUCT)
    if not product:
        return None
    label = parse_label(product)
    model = label.model
    reported = _number(node.meta.labels, MEMORY)
    whole = reported if label.mig_profile is None else None
    return NodeGpus(
        label,
        model,
        max(1, _number(node.meta.labels, REPLICAS) or 1),
        whole or (model.memory_mib if model is not None else None),
        reported=whole is not None,
    )


def _number(labels: Mapping[str, str], key: str) -> int | None:
    text = labels.get(key, "")
    return int(text) if text.isdecimal() else None


def resource_size(resource: str, node: Node) -> int | None:
    """MiB that one unit has for itself on this node; None where that isn't known, or where it's shared with others."""
    gpus = gpus_of(node)
    if resource.startswith(MIG_PREFIX):
        reported = _number(node.meta.labels, f"{resource}.memory")
        if reported is not None:
            return reported
        profile = _profile(gpus, resource)
        return memory_of(profile).mib if profile is not None else None
    if resource == GPU and gpus is not None and gpus.replicas == 1:
        if gpus.label.mig_profile is not None:
            profile = _profile(gpus, gpus.label.mig_profile)
            return memory_of(profile).mib if profile is not None else None
        return gpus.memory_mib
    return None


def nominal_mib(resource: str) -> int | None:
    """What a MIG resource's name says of its memory: 5120 for `nvidia.com/mig-1g.5gb`; None for other names."""
    found = re.search(r"mig-\d+g\.(\d+)gb", resource)
    return int(found[1]) * 1024 if found is not None else None


def _profile(gpus: NodeGpus | None, name: str) -> Profile | None:
    geometry = gpus.geometry if gpus is not None else None
    return geometry.profile(name.removeprefix(MIG_PREFIX)) if geometry is not None else None


def isolation_of_resource(resource: str, node: Node) -> Isolation | None:
    """What one unit is separated by from its neighbours on the same GPU; None for what isn't an NVIDIA GPU."""
    if family(resource) != "nvidia.com":
        return None
    if resource.startswith(MIG_PREFIX):
        return isolation(Strategy.MIG)
    gpus = gpus_of(node)
    strategy = node.meta.labels.get(SHARING, "none")
    if strategy == "mps":
        return isolation(Strategy.MPS)
    if resource.endswith(".shared") or strategy == "time-slicing" or (gpus is not None and gpus.replicas > 1):
        return isolation(Strategy.TIME_SLICING)
    return isolation(Strategy.MIG if gpus is not None and gpus.label.mig_profile else Strategy.WHOLE)


def one_gpu_in_shares(resource: str, node: Node) -> bool:
    """Whether all that a node has of a resource are shares of one GPU by time-slicing: two are no more than one.

    Of several GPUs it isn't known whose shares a pod gets.
    """
    found = isolation_of_resource(resource, node)
    if found is None or found.strategy != Strategy.TIME_SLICING.value:
        return False
    replicas = _number(node.meta.labels, REPLICAS) or 0
    count = _number(node.meta.labels, COUNT) or (node.capacity.get(resource, 0) // replicas if replicas else 0)
    return count == 1


def isolation(strategy: Strategy) -> Isolation:
    """As a way out tells it."""
    found = ISOLATION[strategy]
    words = "; ".join(found.shared)
    text = (
        f"{TITLES[strategy]} doesn't isolate {words}"
        if words
        else f"{TITLES[strategy]}: memory, faults and bandwidth are isolated by the hardware"
    )
    return Isolation(strategy.value, found.memory.value, found.fault.value, found.bandwidth.value, text)


@dataclass(frozen=True, slots=True)
class Partition:
    """A node with all its GPUs cut into one MIG profile (device plugin's strategy `mixed`)."""

    node: Node
    layout: Uniform
    per_gpu: int
    gpus: int


def partition(node: Node, resource: str) -> Partition | None:
    """The node as it would advertise `resource` with all GPUs cut for it; None if its GPUs can't, or aren't known."""
    gpus = gpus_of(node)
    if gpus is None or gpus.geometry is None or not resource.startswith(MIG_PREFIX) or gpus.replicas > 1:
        return None
    if gpus.label.mig_profile is not None:
        return None  # what it counts are instances already (strategy `single`)
    profile = gpus.geometry.profile(resource.removeprefix(MIG_PREFIX))
    layout = next((one for one in uniform_layouts(gpus.geometry) if one.profile == profile), None)
    count = _number(node.meta.labels, COUNT) or node.allocatable.get(GPU, 0)
    if profile is None or layout is None or profile.resource_name != resource or count == 0:
        return None
    kept = {name: amount for name, amount in node.allocatable.items() if not name.startswith(MIG_PREFIX)}
    changed = {**kept, GPU: 0, resource: count * layout.count}
    labels = {**node.meta.labels, MIG_CONFIG_LABEL: layout.name, "nvidia.com/mig.strategy": "mixed"}
    cut = replace(
        node, meta=replace(node.meta, labels=labels), allocatable=changed, capacity={**node.capacity, **changed}
    )
    return Partition(cut, layout, layout.count, count)


def partitioned(node: Node, resource: str) -> tuple[Node, str] | None:
    """The same for a node to be added: the node, and what to say of it."""
    found = partition(node, resource)
    return (found.node, f"cut by MIG into {found.layout.name}") if found is not None else None
