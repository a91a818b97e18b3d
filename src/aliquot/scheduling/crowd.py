"""How many pods with which labels are where: the index behind topology spread and inter-pod affinity.

Tens of thousands of pods carry a few hundred sets of labels; a selector is tried once for each set, not for each pod.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aliquot.snapshot.snapshot import Snapshot

Labels = frozenset[tuple[str, str]]
LabelledPods = Mapping[tuple[str, Labels], "Where"]
"""(namespace, labels) -> where such pods are."""


@dataclass(frozen=True, slots=True)
class Where:
    """Node -> pods of one namespace and one set of labels that hold resources there."""

    labels: Mapping[str, str]
    pods: Counter[str]
    staying: Counter[str]
    """Without those being deleted."""


def where(snapshot: Snapshot, selects: Callable[[str, Mapping[str, str]], bool], *, staying: bool) -> dict[str, int]:
    """Node -> bound pods that `selects` accepts by namespace and labels; of a changed snapshot too.

    Args:
        snapshot: The cluster.
        selects: Asked with a namespace and labels.
        staying: Leave out pods that are being deleted.
    """
    found: Counter[str] = Counter()
    for (namespace, _), crowd in snapshot.root.recall("labelled pods", _labelled).items():
        if selects(namespace, crowd.labels):
            found.update(crowd.staying if staying else crowd.pods)
    for node in sorted(snapshot.changed):
        pods = snapshot.load(node).pods.values()
        number = sum(1 for pod in pods if not (staying and pod.terminating) and selects(pod.namespace, pod.meta.labels))
        found[node] = number
    return {node: number for node, number in found.items() if number}


def _labelled(root: Snapshot) -> LabelledPods:
    found: dict[tuple[str, Labels], Where] = {}
    for load in root.loads():
        for pod in load.pods.values():
            key = (pod.namespace, frozenset(pod.meta.labels.items()))
            alike = found.get(key)
            if alike is None:
                alike = found[key] = Where(pod.meta.labels, Counter(), Counter())
            alike.pods[pod.node_name] += 1
            if not pod.terminating:
                alike.staying[pod.node_name] += 1
    return found
