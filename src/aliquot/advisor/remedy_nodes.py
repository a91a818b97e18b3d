"""A way out by one more node: a copy of a group that's there, or the cheapest known instance."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from aliquot.advisor.amounts import about
from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.gpus import GPU, partitioned
from aliquot.advisor.wayout import After, Candidate, Change, Cost, Risk, Trial
from aliquot.devices.catalogue import find
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.pricing.instances import Instance, default_prices
from aliquot.snapshot.snapshot import Snapshot

HOSTNAME = "kubernetes.io/hostname"
TYPE = "node.kubernetes.io/instance-type"
CONDITION_PREFIX = "node.kubernetes.io/"
GROUP_LABELS: Mapping[str, str] = {
    "eks.amazonaws.com/nodegroup": "eksctl scale nodegroup --cluster CLUSTER --name {name} --nodes {count}",
    "cloud.google.com/gke-nodepool": "gcloud container clusters resize CLUSTER --node-pool {name} --num-nodes {count}",
    "kubernetes.azure.com/agentpool": "az aks nodepool scale --cluster-name CLUSTER -g GROUP -n {name} -c {count}",
    "karpenter.sh/nodepool": "# Karpenter makes nodes of nodepool {name} by itself: look for its limits and events",
}
"""Label that names a node's group, and the command that makes the group larger."""
PER_NODE = frozenset({HOSTNAME, "kubernetes.io/hostname", "nvidia.com/gfd.timestamp", "alpha.eksctl.io/instance-id"})
GROUPS_TRIED = 60


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


def templates(snapshot: Snapshot) -> list[Template]:
    """One for each kind of node with devices: fresh, uncordoned, healthy, and empty but for DaemonSets."""
    if snapshot.root is not snapshot and snapshot.nodes is snapshot.root.nodes:
        return templates(snapshot.root)
    return snapshot.recall("node templates", _templates)


def _templates(snapshot: Snapshot) -> list[Template]:
    groups: dict[object, list[Node]] = {}
    for node in snapshot.nodes.values():
        if not any(amount and "/" in name for name, amount in node.allocatable.items()):
            continue
        labels = frozenset((key, value) for key, value in node.meta.labels.items() if key not in PER_NODE)
        groups.setdefault((labels, frozenset(node.allocatable.items()), fresh(node).taints), []).append(node)
    found: list[Template] = []
    for nodes in groups.values():
        source = min(nodes, key=lambda one: one.name)
        daemons = tuple(
            pod
            for pod in snapshot.pods_on(source.name)
            if pod.meta.controller is not None and pod.meta.controller.kind == "DaemonSet"
        )
        found.append(Template(fresh(source), daemons, source.name, len(nodes)))
    return sorted(found, key=lambda one: one.like)[:GROUPS_TRIED]


def fresh(node: Node) -> Node:
    """As the node would join: not cordoned, without taints of its condition."""
    taints = tuple(taint for taint in node.taints if not taint.key.startswith(CONDITION_PREFIX))
    return replace(node, unschedulable=False, taints=taints, ready=True)


def joined(trial: Trial, template: Template) -> tuple[Trial, str]:
    """The trial with one node of the template more, and its name."""
    base = template.node.name or "new-node"
    name = f"{base}-new"
    while name in trial.snapshot.nodes:
        name += "-1"
    labels = {**template.node.meta.labels, HOSTNAME: name}
    node = replace(template.node, meta=replace(template.node.meta, name=name, labels=labels, uid=""))
    snapshot = trial.snapshot.with_node(node)
    for daemon in template.daemons:
        copy = replace(daemon, node_name=name, meta=replace(daemon.meta, name=f"{daemon.name}-{name}", uid=""))
        snapshot = snapshot.with_pod(copy)
    return Trial(snapshot, trial.pod), name


def cures(case: Case) -> Iterator[Candidate]:
    """Copies as they are; else without their taint; else partitioned to what the pod asks; else from the price list."""
    wanted = device_requests(case.pod)
    some = False
    for template in templates(case.snapshot):
        for variant in _variants(template, wanted):
            trial, name = joined(case.trial, variant)
            if case.judge.takes(trial.snapshot, trial.pod, name):
                some = True
                yield _candidate(variant, name)
                if not variant.note:
                    break
    if not some and wanted:
        yield from _from_price_list(case, wanted)


def _variants(template: Template, wanted: Mapping[str, int]) -> Iterator[Template]:
    yield template
    if template.node.taints:
        yield replace(template, node=replace(template.node, taints=()), note="without its taint")
    for name in wanted:
        if name not in template.node.allocatable and (layout := partitioned(template.node, name)) is not None:
            node, text = layout
            yield replace(template, node=node, note=text)


def _candidate(template: Template, name: str) -> Candidate:
    node = template.node
    kind = node.meta.labels.get(TYPE, "")
    devices = ", ".join(
        f"{amount} {name}" for name, amount in sorted(node.allocatable.items()) if "/" in name and amount
    )
    note = f", {template.note}" if template.like and template.note else ""
    title = (
        f"Add a node like {template.like}{note}: {devices}"
        if template.like
        else f"Add a {kind} node ({template.note}): {devices}"
    )
    manifest = {
        "labels": {key: value for key, value in sorted(node.meta.labels.items()) if key not in PER_NODE},
        "taints": [str(taint) for taint in node.taints],
        "allocatable": {name: about(name, amount) for name, amount in sorted(node.allocatable.items())},
    }

    def apply(trial: Trial) -> Trial:
        return joined(trial, template)[0]

    return Candidate(
        kind="add-node",
        target="node",
        title=title,
        changes=(Change("node (new)", _command(node, template.count, kind), manifest),),
        apply=apply,
        risk=Risk("low", "none for what runs; the node must come up with its driver before the pod starts"),
        rank=40 if not template.note else 42,
        cost=cost_of(kind),
        tried=After(name),
    )


def _command(node: Node, count: int, kind: str) -> str:
    for label, command in GROUP_LABELS.items():
        if name := node.meta.labels.get(label):
            return command.format(name=name, count=count + 1)
    return f"# add a node{f' of type {kind}' if kind else ''} to its group (autoscaler, cloud console or kubeadm join)"


def cost_of(kind: str) -> Cost:
    """The list price of an instance type, if it's known."""
    row = default_prices().named(kind) if kind else None
    if row is None or row.usd_per_hour is None:
        return Cost(None, f"price of {kind} isn't known" if kind else "price isn't known")
    return Cost(
        row.usd_per_hour,
        f"${row.usd_per_hour:.2f}/h for {row.instance_type} ({row.provider} {row.region}, list price of {row.as_of})",
    )


def _from_price_list(case: Case, wanted: Mapping[str, int]) -> Iterator[Candidate]:
    """No group of the cluster helps: the cheapest instance with enough whole NVIDIA GPUs."""
    count = wanted.get(GPU)
    if count is None or len(wanted) > 1:
        return
    for row in _cheapest_first(count):
        node = Node(
            Meta(
                "",
                labels={
                    TYPE: row.instance_type,
                    "kubernetes.io/os": "linux",
                    "nvidia.com/gpu.present": "true",
                    "nvidia.com/gpu.count": str(int(row.gpu_count or 0)),
                },
            ),
            allocatable={
                "cpu": (row.vcpu or 0) * 1000,
                "memory": (row.memory_mib or 0) << 20,
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
        if case.judge.takes(trial.snapshot, trial.pod, name):
            yield _candidate(template, name)
            return


def _cheapest_first(count: int) -> list[Instance]:
    """Priced instances with at least so many whole NVIDIA GPUs."""
    found = [
        row
        for row in default_prices().instances
        if row.usd_per_hour is not None and (row.gpu_count or 0) >= max(1, count) and _nvidia(row.gpu_model)
    ]
    return sorted(found, key=lambda row: (row.usd_per_hour or 0.0, row.instance_type))


def _nvidia(model: str) -> bool:
    known = find(model)
    return known is not None and known.vendor == "nvidia"
