"""How many pods with which labels are where: the index behind topology spread and inter-pod affinity.

Tens of thousands of pods carry a few hundred sets of labels; a selector is tried once for each set, not for each pod.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from aliquot.snapshot.snapshot import Snapshot

Labels = frozenset[tuple[str, str]]
Selects = Callable[[str, Mapping[str, str]], bool]
"""Asked with a namespace and a pod's labels."""


@dataclass(frozen=True, slots=True)
class LabelledPods:
    """Node -> pods of one namespace and one set of labels that hold resources there."""

    labels: Mapping[str, str]
    pods: Counter[str]
    staying: Counter[str]
    """Without those being deleted."""


def matching_pods(
    snapshot: Snapshot, selects: Selects, question: Hashable, namespaces: Iterable[str] | None, *, staying: bool
) -> Mapping[str, int]:
    """Node -> bound pods that `selects` accepts.

    Args:
        snapshot: The cluster.
        selects: Which pods.
        question: Stands for `selects` where answers are kept.
        namespaces: The only ones that it may accept; None: any.
        staying: Leave out pods that are being deleted.
    """

    def make(root: Snapshot) -> Mapping[str, int]:
        found: Counter[str] = Counter()
        labelled = root.recall("labelled", _by_labels)
        for namespace in sorted(labelled if namespaces is None else set(namespaces)):
            for alike in labelled.get(namespace, {}).values():
                if selects(namespace, alike.labels):
                    found.update(alike.staying if staying else alike.pods)
        return {node: number for node, number in found.items() if number}

    known = snapshot.root.recall(("where", question, staying), make)
    if not snapshot.changed:
        return known
    found = {node: number for node, number in known.items() if node not in snapshot.changed}
    for node in sorted(snapshot.changed):
        pods = snapshot.load(node).pods.values()
        number = sum(1 for pod in pods if not (staying and pod.terminating) and selects(pod.namespace, pod.meta.labels))
        if number:
            found[node] = number
    return found


def _by_labels(root: Snapshot) -> Mapping[str, Mapping[Labels, LabelledPods]]:
    """Namespace -> set of labels -> where such pods are."""
    found: dict[str, dict[Labels, LabelledPods]] = {}
    for load in root.loads():
        for pod in load.pods.values():
            there = found.setdefault(pod.namespace, {})
            labels = frozenset(pod.meta.labels.items())
            alike = there.get(labels)
            if alike is None:
                alike = there[labels] = LabelledPods(pod.meta.labels, Counter(), Counter())
            alike.pods[pod.node_name] += 1
            if not pod.terminating:
                alike.staying[pod.node_name] += 1
    return found
