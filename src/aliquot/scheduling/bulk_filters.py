"""The filters that look at one node at a time, over all nodes of a large cluster at once.

Nodes with the same taints and the same values of the labels that a pod asks about are judged once; of resources only
numbers are compared. What is found is kept with the root snapshot, for every pod of the same shape and every what-if.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from aliquot.allocation.claims.pod_check import Fault
from aliquot.scheduling.cycle import Cycle
from aliquot.scheduling.filter_order import NODE_FILTERS, first_failure, preemptible
from aliquot.scheduling.filters.equal_nodes import asked_labels, node_groups, positions
from aliquot.scheduling.filters.node_ports import TEXT as PORTS
from aliquot.scheduling.filters.node_ports import taken_ports
from aliquot.scheduling.filters.node_resources_fit import TOO_MANY_PODS
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import sees_hopeless_requests
from aliquot.snapshot.snapshot import Snapshot

FITS, SHORT, HOPELESS = 0, 1, 2


@dataclass(frozen=True, slots=True)
class NodeOutcome:
    """What the scheduler counts for a node; no texts: the pod fits."""

    texts: tuple[str, ...] = ()
    preemptible: bool = True

    @classmethod
    def of(cls, reasons: tuple[Reason, ...]) -> "NodeOutcome":
        """From the reasons that count."""
        return cls(tuple(reason.text for reason in reasons), preemptible(reasons))


PASSES = NodeOutcome()


@dataclass(frozen=True, slots=True)
class NodeTable:
    """What the node filters and the holding filters make of every node of a root snapshot."""

    nodes: Mapping[NodeOutcome, list[str]]
    """The names of the nodes that have an outcome, in order."""
    keys: Sequence[tuple[int, ...]]
    """Per node: its group, whether its ports clash, and how it stands with each of `resources`."""
    outcomes: Mapping[tuple[int, ...], NodeOutcome]
    resources: tuple[str, ...]
    positions: Mapping[str, int]
    """Node -> its place in `keys`."""

    def outcome(self, node: str) -> NodeOutcome | None:
        """One node's; None if it isn't of the root."""
        position = self.positions.get(node)
        return None if position is None else self.outcomes[self.keys[position]]


def node_table(root: Snapshot, cycle: Cycle, key: Hashable) -> NodeTable:
    """All nodes of a root snapshot under the node filters and the holding filters."""

    def make(snapshot: Snapshot) -> NodeTable:
        return _tabulated(snapshot, cycle)

    return root.recall(("node table", key, cycle.kubernetes, cycle.delegated), make)


def _tabulated(root: Snapshot, cycle: Cycle) -> NodeTable:
    groups, examples = node_groups(root, asked_labels(cycle.pod))
    by_group: list[NodeOutcome] = []
    for name in examples:
        reasons = first_failure(cycle, root.load(name), NODE_FILTERS)
        assert not isinstance(reasons, Fault)
        by_group.append(NodeOutcome.of(reasons))
    asked = [("pods", 1), *((name, amount) for name, amount in cycle.request.items() if amount > 0)]
    columns = [groups, _ports_column(root, cycle), *(_column(root, name, amount, cycle) for name, amount in asked)]
    resources = tuple(name for name, _ in asked)
    keys = list(zip(*columns, strict=True))
    nodes: dict[NodeOutcome, list[str]] = {}
    outcomes: dict[tuple[int, ...], NodeOutcome] = {}
    alike: dict[tuple[int, ...], list[str]] = {}
    for name, key in zip(root.nodes, keys, strict=True):
        there = alike.get(key)
        if there is None:
            outcomes[key] = _outcome(key, by_group, resources)
            there = alike[key] = nodes.setdefault(outcomes[key], [])
        there.append(name)
    return NodeTable(nodes, keys, outcomes, resources, root.recall("positions", positions))


def _outcome(key: tuple[int, ...], by_group: list[NodeOutcome], resources: tuple[str, ...]) -> NodeOutcome:
    group, clash, *codes = key
    if by_group[group].texts:
        return by_group[group]
    if clash:
        return NodeOutcome((PORTS,))
    short = tuple(
        TOO_MANY_PODS if name == "pods" else f"Insufficient {name}"
        for name, code in zip(resources, codes, strict=True)
        if code != FITS
    )
    return NodeOutcome(short, HOPELESS not in codes)


def _column(root: Snapshot, resource: str, asked: int, cycle: Cycle) -> list[int]:
    delegated = resource in cycle.delegated
    hopeless = HOPELESS if sees_hopeless_requests(cycle.kubernetes) and resource != "pods" else SHORT

    def make(snapshot: Snapshot) -> list[int]:
        free, total = amounts(snapshot, resource)
        if delegated:
            return [
                FITS if asked <= f or t <= 0 else hopeless if asked > t else SHORT
                for f, t in zip(free, total, strict=True)
            ]
        return [FITS if asked <= f else hopeless if asked > t else SHORT for f, t in zip(free, total, strict=True)]

    return root.recall(("short", resource, asked, delegated, hopeless), make)


def amounts(root: Snapshot, resource: str) -> tuple[list[int], list[int]]:
    """Per node, in order: what is free of a resource, and how much there is in all."""

    def make(snapshot: Snapshot) -> tuple[list[int], list[int]]:
        loads = list(snapshot.loads())
        return [load.free(resource) for load in loads], [load.node.allocatable.get(resource, 0) for load in loads]

    return root.recall(("amounts", resource), make)


def _ports_column(root: Snapshot, cycle: Cycle) -> list[int]:
    if not cycle.ports:
        return [FITS] * len(root.nodes)
    return [SHORT if taken_ports(cycle.ports, load) else FITS for load in root.loads()]
