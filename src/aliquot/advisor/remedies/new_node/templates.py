"""Nodes that could be added: one for each kind that the cluster has, as it would join."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from aliquot.advisor.case import is_extended
from aliquot.advisor.remedies.new_node.groups import group_size
from aliquot.advisor.wayout import Trial
from aliquot.dra.device import Slice
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot

HOSTNAME = "kubernetes.io/hostname"
TYPE = "node.kubernetes.io/instance-type"
CONDITION_PREFIX = "node.kubernetes.io/"
ZONES = frozenset({"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "topology.gke.io/zone"})
"""Nodes of one group in several zones are one offer, unless the pod asks for a zone."""
PER_NODE = frozenset({HOSTNAME, "nvidia.com/gfd.timestamp", "alpha.eksctl.io/instance-id"})
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
    """How it differs from what it's like."""
    slices: tuple[Slice, ...] = ()
    """What its drivers publish: whole pools of the newest generation."""
    given: bool = False
    """A node group that a person named with --node-groups."""
    renamed: str = ""
    """What the device plugins that are there call such devices when they share them: the new node's may do so too."""
    full: bool = False
    """Its group is as large as its autoscaler may make it."""
    another: bool = False
    """No group that's there makes such nodes."""


def templates(snapshot: Snapshot) -> list[Template]:
    """One for each kind of node with devices: fresh, uncordoned, healthy, and empty but for DaemonSets."""
    return snapshot.root.recall("node templates", _templates)


def _templates(snapshot: Snapshot) -> list[Template]:
    groups: dict[object, list[Node]] = {}
    slices = _slices_by_node(snapshot)
    for node in snapshot.nodes.values():
        published = slices.get(node.name, ())
        labels = frozenset((key, value) for key, value in node.meta.labels.items() if key not in PER_NODE)
        key = (labels, frozenset(node.allocatable.items()), fresh(node).taints, _kinds(published))
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
        found.append(Template(fresh(source), daemons, source.name, group_size(snapshot, source), slices=parts))
    return sorted(found, key=lambda one: one.like)[:GROUPS_TRIED]


def but_zone(template: Template) -> object:
    """Equal for templates that differ only in their zone."""
    labels = frozenset(
        (key, value) for key, value in template.node.meta.labels.items() if key not in PER_NODE and key not in ZONES
    )
    allocatable = frozenset((name, amount) for name, amount in template.node.allocatable.items() if is_extended(name))
    return labels, template.node.taints, allocatable, _kinds(template.slices), template.note, template.given


def has_devices(template: Template) -> bool:
    """Counted or published."""
    offered = any(amount and is_extended(name) for name, amount in template.node.allocatable.items())
    return offered or bool(template.slices)


def _kinds(published: tuple[Slice, ...]) -> tuple[object, ...]:
    return tuple(sorted((one.driver, len(one.devices), _products(one)) for one in published))


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
    base = f"{template.node.name}-new" if template.node.name else "new-node"
    name = next(one for one in _names(base) if one not in trial.snapshot.nodes)
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


def _names(base: str) -> Iterator[str]:
    """`base`, `base-2`, and so on."""
    yield base
    count = 2
    while True:
        yield f"{base}-{count}"
        count += 1
