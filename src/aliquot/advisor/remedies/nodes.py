"""A way out by one more node: a copy of a group that's there, or the cheapest known instance."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from aliquot.advisor.amounts import about
from aliquot.advisor.case import Case, Spot, device_requests, is_extended
from aliquot.advisor.causes.cause import number
from aliquot.advisor.gpus import GPU, gpus_of, partitioned
from aliquot.advisor.wayout import After, Candidate, Change, Cost, Risk, Trial
from aliquot.devices.catalogue import find
from aliquot.dra.device import Slice
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.pricing.instances import Instance, default_prices
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

HOSTNAME = "kubernetes.io/hostname"
TYPE = "node.kubernetes.io/instance-type"
CONDITION_PREFIX = "node.kubernetes.io/"
GROUP_LABELS: Mapping[str, str] = {
    "eks.amazonaws.com/nodegroup": "eksctl get clusters  # CLUSTER\n"
    "eksctl scale nodegroup --cluster CLUSTER --name {name} --nodes {count}",
    "cloud.google.com/gke-nodepool": "gcloud container clusters list  # CLUSTER\n"
    "gcloud container clusters resize CLUSTER --node-pool {name} --num-nodes {count}"
    "  # per zone, if the cluster is regional",
    "kubernetes.azure.com/agentpool": "az aks list -o table  # CLUSTER, and its resource GROUP\n"
    "az aks nodepool scale --cluster-name CLUSTER -g GROUP -n {name} -c {count}",
    "karpenter.sh/nodepool": "# Karpenter makes nodes of nodepool {name} by itself: look for its limits and events",
}
"""Label that names a node's group, and the command that makes it so large, after one that finds what it leaves open."""
ZONES = frozenset({"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "topology.gke.io/zone"})
"""Nodes of one group in several zones are one offer, unless the pod asks for a zone."""
PER_NODE = frozenset({HOSTNAME, "nvidia.com/gfd.timestamp", "alpha.eksctl.io/instance-id"})
GROUPS_TRIED = 60
ARM = ("GH200", "GB200", "GB300")
"""Their host processor is NVIDIA's Grace."""
KEEPING_OFF = frozenset({"TaintToleration", "NodeAffinity"})
GROUP = "from its node group"
"""The note of a template that a person gave with --node-groups."""


@dataclass(frozen=True, slots=True)
class Template:
    """A node that could be added, with the pods of DaemonSets that would run on it."""

    node: Node
    daemons: tuple[Pod, ...]
    like: str
    """Of which existing node it's a copy; empty: from the price list."""
    count: int
    """Nodes of this kind that there are."""
    note: str = ""
    slices: tuple[Slice, ...] = ()
    """What its drivers publish: whole pools of the newest generation."""


def templates(snapshot: Snapshot) -> list[Template]:
    """One for each kind of node with devices: fresh, uncordoned, healthy, and empty but for DaemonSets."""
    return snapshot.root.recall("node templates", _templates)


def _templates(snapshot: Snapshot) -> list[Template]:
    groups: dict[object, list[Node]] = {}
    slices = _slices_by_node(snapshot)
    for node in snapshot.nodes.values():
        published = slices.get(node.name, ())
        labels = frozenset((key, value) for key, value in node.meta.labels.items() if key not in PER_NODE)
        kinds = tuple(sorted((one.driver, len(one.devices), _products(one)) for one in published))
        key = (labels, frozenset(node.allocatable.items()), fresh(node).taints, kinds)
        groups.setdefault(key, []).append(node)
    found: list[Template] = []
    for nodes in groups.values():
        source = min(nodes, key=lambda one: (one.ready is False, one.unschedulable, one.name))  # a healthy one is named
        daemons = tuple(
            pod
            for pod in snapshot.pods_on(source.name)
            if pod.meta.controller is not None and pod.meta.controller.kind == "DaemonSet"
        )
        parts = _whole(slices.get(source.name, ()))
        found.append(Template(fresh(source), daemons, source.name, _group_size(snapshot, source), slices=parts))
    return sorted(found, key=lambda one: one.like)[:GROUPS_TRIED]


def _group_size(snapshot: Snapshot, node: Node) -> int:
    """Nodes of its cloud's group: all of them, whatever else differs among them."""
    for label in GROUP_LABELS:
        if name := node.meta.labels.get(label):
            return sum(1 for one in snapshot.nodes.values() if one.meta.labels.get(label) == name)
    return 1


def _has_devices(template: Template) -> bool:
    offered = any(amount and is_extended(name) for name, amount in template.node.allocatable.items())
    return offered or bool(template.slices)


def _slices_by_node(snapshot: Snapshot) -> Mapping[str, tuple[Slice, ...]]:
    found: dict[str, tuple[Slice, ...]] = {}
    for one in snapshot.slices.values():
        if one.node_name:
            found[one.node_name] = (*found.get(one.node_name, ()), one)
    return found


def _products(one: Slice) -> tuple[str, ...]:
    names = {
        str(device.attributes["productName"].value) for device in one.devices if "productName" in device.attributes
    }
    return tuple(sorted(names))


def _whole(parts: tuple[Slice, ...]) -> tuple[Slice, ...]:
    """As a healthy driver would publish them: one generation, and their true number."""
    pools: dict[tuple[str, str], list[Slice]] = {}
    for one in parts:
        pools.setdefault((one.driver, one.pool), []).append(one)
    found: list[Slice] = []
    for same in pools.values():
        newest = max(one.generation for one in same)
        current = [one for one in same if one.generation == newest]
        found += [replace(one, slice_count=len(current)) for one in current]
    return tuple(found)


def fresh(node: Node) -> Node:
    """As the node would join: not cordoned, without taints of its condition."""
    taints = tuple(taint for taint in node.taints if not taint.key.startswith(CONDITION_PREFIX))
    return replace(node, unschedulable=False, taints=taints, ready=True)


def joined(trial: Trial, template: Template) -> tuple[Trial, str]:
    """The trial with one node of the template more, and its name."""
    base = template.node.name or "new-node"
    name = f"{base}-new"
    count = 1
    while name in trial.snapshot.nodes:
        count += 1
        name = f"{base}-new-{count}"
    labels = {**template.node.meta.labels, HOSTNAME: name}
    node = replace(template.node, meta=replace(template.node.meta, name=name, labels=labels, uid=""))
    snapshot = trial.snapshot.with_node(node)
    for daemon in template.daemons:
        copy = replace(daemon, node_name=name, meta=replace(daemon.meta, name=f"{daemon.name}-{name}", uid=""))
        snapshot = snapshot.with_pod(copy)
    for one in template.slices:
        pool = name if one.pool == template.like else f"{one.pool}-{name}"
        copied = replace(one, meta=replace(one.meta, name=f"{one.meta.name}-{name}", uid=""), node_name=name, pool=pool)
        snapshot = snapshot.with_object(copied)
    return Trial(snapshot, trial.pod), name


def cures(case: Case) -> Iterator[Candidate]:
    """Copies as they are; else without their taint; else partitioned to what the pod asks; else from the price list.

    None where what is asked for is free already on a node that something else keeps the pod off: one more of the same
    doesn't help.
    """
    wanted = device_requests(case.pod)
    if any(_only_kept_off(case, spot) for spot in case.spots):
        return
    some = False
    groups = [replace(one, count=0, note=GROUP) for one in templates(case.node_groups)] if case.node_groups else []
    asks_devices = bool(wanted or case.pod.claims)
    known = [*templates(case.snapshot), *groups]
    fitting = [one for one in known if _has_devices(one) == asks_devices] or known
    zoned: set[object] = set()
    for template in fitting:
        if (kind := _but_zone(template)) in zoned:
            continue
        for variant in _variants(template, wanted):
            trial, name = joined(case.trial, variant)
            if case.placed(trial, name):
                some = True
                zoned.add(kind)
                yield _candidate(variant, name)
                if variant.note in ("", GROUP):
                    break
    if not some and wanted:
        yield from _from_price_list(case, wanted)
    if not some and not asks_devices:
        yield from _larger(case)


def _only_kept_off(case: Case, spot: Spot) -> bool:
    """Its devices are free, and a taint of its group or a selector is all that's in the way."""
    if not (device_requests(case.pod) or case.pod.claims) or case.error:
        return False
    sick = any(reason.subject.startswith(CONDITION_PREFIX) for reason in spot.reasons)
    return spot.problems <= KEEPING_OFF and spot.node.ready is not False and not sick


def _larger(case: Case) -> Iterator[Candidate]:
    """A pod that asks for more CPU or memory than any node has: a node like one without devices, of the next size."""
    request = effective_request(case.pod)
    plain = [one for one in templates(case.snapshot) if not _has_devices(one)]
    for template in plain[:1]:
        sizes = dict(template.node.allocatable)
        for name in ("cpu", "memory"):
            while sizes.get(name) and sizes[name] < request.get(name, 0) * 9 // 8:
                sizes[name] *= 2
        if sizes == dict(template.node.allocatable):
            continue
        grown = {
            name: about(name, sizes[name])
            for name in ("cpu", "memory")
            if sizes[name] != template.node.allocatable[name]
        }
        note = f"with {' and '.join(f'{amount} of {name}' for name, amount in grown.items())}"
        variant = replace(template, node=replace(template.node, allocatable=sizes, capacity=sizes), note=note)
        trial, name = joined(case.trial, variant)
        if case.placed(trial, name):
            yield _candidate(variant, name)


def _but_zone(template: Template) -> object:
    """Equal for templates that differ only in their zone."""
    labels = frozenset(
        (key, value) for key, value in template.node.meta.labels.items() if key not in PER_NODE and key not in ZONES
    )
    kinds = tuple(sorted((one.driver, len(one.devices), _products(one)) for one in template.slices))
    allocatable = frozenset((name, amount) for name, amount in template.node.allocatable.items() if is_extended(name))
    return labels, template.node.taints, allocatable, kinds, template.note


def _variants(template: Template, wanted: Mapping[str, int]) -> Iterator[Template]:
    yield template
    if template.node.taints:
        yield replace(template, node=replace(template.node, taints=()), note="without its taint")
    for name in wanted:
        if name not in template.node.allocatable and (layout := partitioned(template.node, name)) is not None:
            node, text = layout
            yield replace(template, node=node, note=text)


def _candidate(template: Template, name: str, times: int = 1) -> Candidate:
    node = template.node
    kind = node.meta.labels.get(TYPE, "")
    counted = [f"{amount} {name}" for name, amount in sorted(node.allocatable.items()) if "/" in name and amount]
    published = [f"{number(len(one.devices), 'device')} of {one.driver}" for one in template.slices if one.devices]
    devices = ", ".join(counted + published)
    note = f", {template.note}" if template.like and template.note else ""
    some = f"{times} {kind} nodes".replace("  ", " ") if times > 1 else f"a {kind} node"
    title = (
        f"Scale up node group {template.like}{f' by {times} nodes' if times > 1 else ''}: {devices}"
        if template.note == GROUP
        else f"Add {f'{times} nodes' if times > 1 else 'a node'} like {template.like}{note}: {devices}"
        if template.like
        else f"Add {some} ({template.note}): {devices}"
    ) + (" each" if times > 1 else "")
    manifest = {
        "labels": {key: value for key, value in sorted(node.meta.labels.items()) if key not in PER_NODE},
        "taints": [str(taint) for taint in node.taints],
        "allocatable": {name: about(name, amount) for name, amount in sorted(node.allocatable.items())},
        "devices": [f"{one.driver}/{device.name}" for one in template.slices for device in one.devices],
    }

    def apply(trial: Trial) -> Trial:
        for _ in range(times):
            trial = joined(trial, template)[0]
        return trial

    return Candidate(
        kind="add-node",
        target="node",
        title=title,
        changes=(Change("node (new)", _command(template, kind, times), manifest, _undo(template)),),
        apply=apply,
        risk=Risk("low", "none for what runs; the node must come up with its driver before the pod starts"),
        rank=40 if template.note in ("", GROUP) else 42,
        cost=cost_of(kind, times),
        tried=After(name),
        several=lambda count: _candidate(template, name, count),
    )


def _command(template: Template, kind: str, times: int) -> str:
    node = template.node
    if template.note == GROUP:
        return f"# scale node group {template.like} up by {number(times, 'node')}"
    for label, command in GROUP_LABELS.items():
        if name := node.meta.labels.get(label):
            return command.format(name=shlex.quote(name), count=template.count + times)
    where = (
        "to its group (autoscaler, cloud console or kubeadm join)"
        if template.like
        else "(no group of it is in the input)"
    )
    return f"# add {'a node' if times == 1 else f'{times} nodes'}{f' of type {kind}' if kind else ''} {where}"


def _undo(template: Template) -> str:
    """As many nodes as before; empty where a person adds the node by other means."""
    command = _command(template, "", 0).splitlines()[-1] if template.note != GROUP else "#"
    return "" if command.startswith("#") else command


def cost_of(kind: str, times: int = 1) -> Cost:
    """The list price of so many instances of a type, if it's known."""
    row = default_prices().named(kind) if kind else None
    if row is None or row.usd_per_hour is None:
        return Cost(None, f"price of {kind} isn't known" if kind else "price isn't known")
    many = f"{times} x " if times > 1 else ""
    return Cost(
        row.usd_per_hour * times,
        f"${row.usd_per_hour * times:.2f}/h for {many}{row.instance_type} ({row.provider} {row.region}, list price of"
        f" {row.as_of})",
    )


def _from_price_list(case: Case, wanted: Mapping[str, int]) -> Iterator[Candidate]:
    """No group of the cluster helps: the cheapest instance with enough whole NVIDIA GPUs."""
    count = wanted.get(GPU)
    provider = _provider(case.snapshot)
    if count is None or len(wanted) > 1 or not provider:
        return  # where nothing shows a cloud, nobody can order an instance
    least = _least_memory(case.snapshot)
    for row in _cheapest_first(count, provider):
        if (size := find(row.gpu_model)) is None or (size.memory_mib or 0) < least:
            continue
        node = Node(
            Meta(
                "",
                labels={
                    TYPE: row.instance_type,
                    "kubernetes.io/os": "linux",
                    "kubernetes.io/arch": "arm64" if row.gpu_model.startswith(ARM) else "amd64",
                    "nvidia.com/gpu.present": "true",
                    "nvidia.com/gpu.count": str(int(row.gpu_count or 0)),
                },
            ),
            allocatable={
                "cpu": _left_of_cpu(row.vcpu or 0),
                "memory": _left_of_memory(row.memory_mib or 0) << 20,
                "pods": 110,
                "ephemeral-storage": 100 << 30,
                GPU: int(row.gpu_count or 0),
            },
        )
        model = find(row.gpu_model)
        memory = f", {model.memory_mib} MiB" if model is not None and model.memory_mib else ""
        note = f"{row.provider}, {row.gpu_model}{memory}"
        template = Template(node, (), "", 0, note)
        trial, name = joined(case.trial, template)
        if case.placed(trial, name):
            yield _candidate(template, name)
            return


def _cheapest_first(count: int, provider: str) -> list[Instance]:
    """Priced instances with at least so many whole NVIDIA GPUs."""
    found = [
        row
        for row in default_prices().instances
        if row.usd_per_hour is not None
        and (row.gpu_count or 0) >= max(1, count)
        and _nvidia(row.gpu_model)
        and provider in ("", row.provider)
    ]
    return sorted(found, key=lambda row: (row.usd_per_hour or 0.0, row.instance_type))


def _least_memory(snapshot: Snapshot) -> int:
    """MiB of the smallest GPU that the cluster counts: a pod that runs beside those isn't meant for less."""
    sizes = [
        gpus.memory_mib for node in snapshot.nodes.values() if (gpus := gpus_of(node)) is not None and gpus.memory_mib
    ]
    return min(sizes, default=0)


def _provider(snapshot: Snapshot) -> str:
    """The cluster's cloud, by the labels of its node groups; empty if they don't tell."""
    clouds = {"eks.amazonaws.com/": "aws", "cloud.google.com/": "gcp", "kubernetes.azure.com/": "azure"}
    for node in snapshot.nodes.values():
        for label in node.meta.labels:
            for prefix, provider in clouds.items():
                if label.startswith(prefix):
                    return provider
    return ""


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
