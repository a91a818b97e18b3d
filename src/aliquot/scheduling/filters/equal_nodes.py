"""Nodes that are the same to a pod: of equal taints and cordon, and of equal values of the labels that matter."""

from collections.abc import Hashable, Mapping, Sequence

from aliquot.kube.matching import NAME_FIELD
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot


def positions(root: Snapshot) -> Mapping[str, int]:
    """Node -> its place in the snapshot's order."""
    return {name: nth for nth, name in enumerate(root.nodes)}


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
