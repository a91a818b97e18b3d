"""The filters that look at one node at a time, over all nodes of a large cluster at once.

Nodes with the same taints and the same values of the labels that a pod asks about are judged once; of resources only
numbers are compared. What is found is kept with the root snapshot, for every pod of the same shape and every what-if.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from aliquot.kube.matching import NAME_FIELD
from aliquot.kube.pod import Pod
from aliquot.scheduling.cycle import NODE_FILTERS, Cycle, first_failure, preemptible
from aliquot.scheduling.ports import taken_ports
from aliquot.scheduling.reason import Fault, Reason, counted
from aliquot.scheduling.resources import TOO_MANY_PODS
from aliquot.snapshot.snapshot import Snapshot

FITS, SHORT, HOPELESS = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the scheduler counts for a node; no texts: the pod fits."""

    texts: tuple[str, ...] = ()
    preemptible: bool = True

    @classmethod
    def of(cls, reasons: tuple[Reason, ...]) -> "Outcome":
        """From the reasons that count."""
        return cls(tuple(reason.text for reason in reasons), preemptible(reasons))


PASSES = Outcome()


@dataclass(frozen=True, slots=True)
class Survey:
    """Outcome -> names of the root's nodes that have it, in order."""

    nodes: dict[Outcome, list[str]]
    outcome: dict[str, Outcome]


def survey(root: Snapshot, cycle: Cycle, shape: Hashable) -> Survey:
    """All nodes of a root snapshot under the node filters and the holding filters."""

    def make(snapshot: Snapshot) -> Survey:
        return _survey(snapshot, cycle)

    return root.recall(("survey", shape, cycle.release, cycle.delegated), make)


def _survey(root: Snapshot, cycle: Cycle) -> Survey:
    names = list(root.nodes)
    groups, examples = node_groups(root, asked_labels(cycle.pod))
    by_group: list[Outcome] = []
    for name in examples:
        reasons = first_failure(cycle, root.load(name), NODE_FILTERS)
        assert not isinstance(reasons, Fault)
        by_group.append(Outcome.of(reasons))
    columns: list[Sequence[int]] = [groups]
    texts: list[str] = []
    for resource, asked in (("pods", 1), *cycle.request.items()):
        if asked > 0:
            columns.append(_column(root, resource, asked, cycle))
            texts.append(TOO_MANY_PODS if resource == "pods" else f"Insufficient {resource}")
    ports = _ports_column(root, cycle) if cycle.ports else [PASSES] * len(names)
    nodes: dict[Outcome, list[str]] = {}
    outcome: dict[str, Outcome] = {}
    seen: dict[tuple[object, ...], tuple[list[str], Outcome]] = {}
    for name, *key in zip(names, ports, *columns, strict=True):
        there = seen.get(tuple(key))
        if there is None:
            found = _outcome(key, by_group, texts)
            there = seen[tuple(key)] = nodes.setdefault(found, []), found
        there[0].append(name)
        outcome[name] = there[1]
    return Survey(nodes, outcome)


def _outcome(key: Sequence[object], by_group: list[Outcome], texts: list[str]) -> Outcome:
    """Of a node by what the columns say: ports, group, and one code for each asked resource."""
    ports, group, *codes = key
    assert isinstance(ports, Outcome)
    assert isinstance(group, int)
    if by_group[group].texts:
        return by_group[group]
    if ports.texts:
        return ports
    short = tuple(text for text, code in zip(texts, codes, strict=True) if code != FITS)
    return Outcome(short, HOPELESS not in codes)


def asked_labels(pod: Pod) -> tuple[str, ...]:
    """The node labels whose values decide the node filters for a pod."""
    keys = set(pod.node_selector)
    if pod.affinity and pod.affinity.node:
        for term in pod.affinity.node.terms:
            keys.update(e.key for e in term.expressions)
            keys.update(NAME_FIELD for _ in term.fields)
    if pod.node_name:
        keys.add(NAME_FIELD)
    return tuple(sorted(keys))


def node_groups(root: Snapshot, labels: tuple[str, ...]) -> tuple[list[int], list[str]]:
    """Nodes that are alike in taints, cordon and these labels.

    Returns:
        Per node the number of its group; per group one node's name.
    """

    def make(snapshot: Snapshot) -> tuple[list[int], list[str]]:
        columns = [snapshot.recall("node kinds", _kinds), *(_labels(snapshot, key) for key in labels)]
        found: dict[tuple[object, ...], int] = {}
        examples: list[str] = []
        groups: list[int] = []
        for name, *parts in zip(snapshot.nodes, *columns, strict=True):
            key = tuple(parts)
            group = found.get(key)
            if group is None:
                group = found[key] = len(examples)
                examples.append(name)
            groups.append(group)
        return groups, examples

    return root.recall(("node groups", labels), make)


def _kinds(root: Snapshot) -> Sequence[object]:
    found: dict[Hashable, int] = {}
    return [found.setdefault((n.unschedulable, n.taints), len(found)) for n in root.nodes.values()]


def _labels(root: Snapshot, key: str) -> Sequence[object]:
    def make(snapshot: Snapshot) -> Sequence[object]:
        if key == NAME_FIELD:
            return list(snapshot.nodes)
        return [node.meta.labels.get(key) for node in snapshot.nodes.values()]

    return root.recall(("label", key), make)


def _column(root: Snapshot, resource: str, asked: int, cycle: Cycle) -> list[int]:
    delegated = resource in cycle.delegated
    hopeless = HOPELESS if cycle.release.sees_hopeless_requests and resource != "pods" else SHORT

    def make(snapshot: Snapshot) -> list[int]:
        free, total = snapshot.recall(("amounts", resource), amounts)
        if delegated:
            return [
                FITS if asked <= f or t <= 0 else hopeless if asked > t else SHORT
                for f, t in zip(free, total, strict=True)
            ]
        return [FITS if asked <= f else hopeless if asked > t else SHORT for f, t in zip(free, total, strict=True)]

    def amounts(snapshot: Snapshot) -> tuple[list[int], list[int]]:
        loads = list(snapshot.loads())
        return [load.free(resource) for load in loads], [load.node.allocatable.get(resource, 0) for load in loads]

    return root.recall(("short", resource, asked, delegated, hopeless), make)


def _ports_column(root: Snapshot, cycle: Cycle) -> list[Outcome]:
    found: list[Outcome] = []
    for load in root.loads():
        reasons = taken_ports(cycle.ports, load)
        found.append(Outcome.of(counted(reasons)) if reasons else PASSES)
    return found
