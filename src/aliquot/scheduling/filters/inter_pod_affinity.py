"""InterPodAffinity: required affinity and anti-affinity to other pods, theirs to this one included."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aliquot.kube.matching import selector_key, selects, selects_all
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import LabelSelector, PodAffinityTerm, Requirement
from aliquot.scheduling.filters.pod_counts import matching_pods
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.snapshot import Snapshot

FILTER = "InterPodAffinity"
AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
THEIR_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"

Pairs = Mapping[tuple[str, str], int]
"""(topology key, value) -> matches; only those that aren't zero."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term, resolved: which pods it's about, and over which label their nodes are compared."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None

    def about(self, namespace: str, namespace_labels: Mapping[str, str], labels: Mapping[str, str]) -> bool:
        """Whether it's about a pod of this namespace with these labels."""
        here = namespace in self.namespaces or selects(self.namespace_selector, namespace_labels)
        return here and selects(self.selector, labels)


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A pod's terms, and what they and the terms of others meet now (the scheduler's PreFilter state)."""

    pod: Pod
    namespace_labels: Mapping[str, str]
    affinity: tuple[Term, ...]
    anti_affinity: tuple[Term, ...]
    met: Pairs
    """Pods that all affinity terms are about."""
    avoided: Pairs
    """Pods that an anti-affinity term is about."""
    avoiding: Pairs
    """Anti-affinity terms of other pods that are about this one."""

    def shifted(self, node: Node, pod: Pod, change: int) -> "Neighbours":
        """With one pod more (1) or less (-1) on a node."""
        theirs = terms_of(pod, pod.affinity.pod_anti) if pod.affinity else ()
        mine = self.pod
        avoiding = [t.topology_key for t in theirs if t.about(mine.namespace, self.namespace_labels, mine.meta.labels)]
        # This pod's own terms had their namespace selectors resolved to names, so that no labels are needed here.
        met = [t.topology_key for t in self.affinity] if _all_about(self.affinity, pod) else []
        avoided = [t.topology_key for t in self.anti_affinity if t.about(pod.namespace, {}, pod.meta.labels)]
        return replace(
            self,
            met=_moved(self.met, node, met, change),
            avoided=_moved(self.avoided, node, avoided, change),
            avoiding=_moved(self.avoiding, node, avoiding, change),
        )


def neighbours_of(snapshot: Snapshot, pod: Pod) -> Neighbours | None:
    """Look around once for a pod; None if neither it nor any other pod objects to company here."""
    own = pod.affinity
    affinity = tuple(_named(t, snapshot) for t in terms_of(pod, own.pod)) if own else ()
    anti_affinity = tuple(_named(t, snapshot) for t in terms_of(pod, own.pod_anti)) if own else ()
    namespace = snapshot.namespaces.get(pod.namespace)
    namespace_labels: Mapping[str, str] = namespace.meta.labels if namespace else {}
    avoiding = _avoiding(snapshot, pod, namespace_labels)
    if not affinity and not anti_affinity and not avoiding:
        return None
    met: Counter[tuple[str, str]] = Counter()
    if affinity:
        _count(snapshot, affinity, [t.topology_key for t in affinity], met)
    avoided: Counter[tuple[str, str]] = Counter()
    for term in anti_affinity:
        _count(snapshot, (term,), [term.topology_key], avoided)
    return Neighbours(pod, namespace_labels, affinity, anti_affinity, met, avoided, avoiding)


def unfriendly(neighbours: Neighbours, node: Node) -> tuple[Reason, ...]:
    """What the pod's rules, and then those of others, have against this node; the scheduler counts the first."""
    labels = node.meta.labels
    found: list[Reason] = []

    def add(text: str, key: str, asked: str, there: str, *, preemptible: bool) -> None:
        found.append(
            Reason(FILTER, text, asked=asked, found=there, subject=key, preemptible=preemptible, counts=not found)
        )

    unmet = [
        t for t in neighbours.affinity if neighbours.met.get((t.topology_key, labels.get(t.topology_key, "")), 0) < 1
    ]
    unlabelled = [t for t in neighbours.affinity if t.topology_key not in labels]
    # The first of a group that wants to be together would otherwise never start.
    first = not neighbours.met and _all_about(neighbours.affinity, neighbours.pod)
    for term in unlabelled or (() if first else unmet):
        key = term.topology_key
        there = f"none in {key}={labels[key]}" if key in labels else f"no label {key}"
        add(AFFINITY, key, f"beside pods with {_selector_text(term.selector)}", there, preemptible=False)
    for term in neighbours.anti_affinity:
        key = term.topology_key
        if key in labels and neighbours.avoided.get((key, labels[key]), 0) > 0:
            there = f"{_pods(neighbours.avoided[key, labels[key]])} in {key}={labels[key]}"
            add(ANTI_AFFINITY, key, f"away from pods with {_selector_text(term.selector)}", there, preemptible=True)
    for key, value in sorted(neighbours.avoiding):
        if labels.get(key) == value and neighbours.avoiding[key, value] > 0:
            add(
                THEIR_ANTI_AFFINITY,
                key,
                "no pod whose anti-affinity keeps it away",
                f"{_pods(neighbours.avoiding[key, value])} in {key}={value}",
                preemptible=True,
            )
    return tuple(found)


def terms_of(pod: Pod, terms: Iterable[PodAffinityTerm]) -> tuple[Term, ...]:
    """A pod's terms with its own namespace and label values filled in where the rules say so."""
    labels = pod.meta.labels
    resolved: list[Term] = []
    for term in terms:
        own_namespace = not term.namespaces and term.namespace_selector is None
        selector = term.selector
        if selector is not None:
            extra = tuple(Requirement(k, "In", (labels[k],)) for k in term.match_label_keys if k in labels)
            extra += tuple(Requirement(k, "NotIn", (labels[k],)) for k in term.mismatch_label_keys if k in labels)
            if extra:
                selector = LabelSelector(selector.match_labels, (*selector.match_expressions, *extra))
        namespaces = frozenset((pod.namespace,) if own_namespace else term.namespaces)
        resolved.append(Term(term.topology_key, selector, namespaces, term.namespace_selector))
    return tuple(resolved)


def _named(term: Term, snapshot: Snapshot) -> Term:
    """The namespaces that a selector selects now, by name; one that selects all stays."""
    selector = term.namespace_selector
    if selector is None or selects_all(selector):
        return term
    more = (n.meta.name for n in snapshot.namespaces.values() if selects(selector, n.meta.labels))
    return replace(term, namespaces=term.namespaces.union(more), namespace_selector=None)


def _all_about(terms: tuple[Term, ...], pod: Pod) -> bool:
    return bool(terms) and all(term.about(pod.namespace, {}, pod.meta.labels) for term in terms)


def _count(snapshot: Snapshot, terms: tuple[Term, ...], keys: Iterable[str], found: Counter[tuple[str, str]]) -> None:
    def about(namespace: str, labels: Mapping[str, str]) -> bool:
        return all(term.about(namespace, {}, labels) for term in terms)

    named = terms[0].namespaces if terms[0].namespace_selector is None else None
    question = tuple((t.namespaces, selector_key(t.namespace_selector), selector_key(t.selector)) for t in terms)
    there = matching_pods(snapshot, about, question, named, staying=False)
    for key in keys:
        for node, number in there.items():
            _add(found, snapshot.nodes.get(node), key, number)


def _add(found: Counter[tuple[str, str]], node: Node | None, key: str, number: int) -> None:
    value = node.meta.labels.get(key) if node is not None else None
    if value is not None:
        found[key, value] += number


def _moved(pairs: Pairs, node: Node, keys: list[str], change: int) -> Pairs:
    if not keys:
        return pairs
    moved = Counter(pairs)
    for key in keys:
        _add(moved, node, key, change)
    return {pair: number for pair, number in moved.items() if number}


@dataclass(frozen=True, slots=True)
class Avoiders:
    """Pods with the same anti-affinity: its terms, and node -> how many."""

    terms: tuple[Term, ...]
    nodes: Counter[str]


def _avoiders(root: Snapshot) -> Mapping[str, Sequence[Avoiders]]:
    """By the namespace of pods that they may be about; under the empty name those about any."""
    found: dict[Hashable, Avoiders] = {}
    for load in root.loads():
        for pod in load.pods.values():
            if pod.affinity and pod.affinity.pod_anti:
                key = _avoider_key(pod, pod.affinity.pod_anti)
                alike = found.get(key)
                if alike is None:
                    alike = found[key] = Avoiders(terms_of(pod, pod.affinity.pod_anti), Counter())
                alike.nodes[pod.node_name] += 1
    by_namespace: dict[str, list[Avoiders]] = {}
    for avoiders in found.values():
        for term in avoiders.terms:
            alone = Avoiders((term,), avoiders.nodes)
            for namespace in [""] if term.namespace_selector is not None else sorted(term.namespaces):
                by_namespace.setdefault(namespace, []).append(alone)
    return by_namespace


def _avoider_key(pod: Pod, terms: tuple[PodAffinityTerm, ...]) -> Hashable:
    own = {key: pod.meta.labels.get(key) for t in terms for key in (*t.match_label_keys, *t.mismatch_label_keys)}
    return pod.namespace, tuple(own.items()), tuple(term_key(term) for term in terms)


def term_key(term: PodAffinityTerm) -> Hashable:
    """A hashable stand-in for a term."""
    return (
        term.topology_key,
        selector_key(term.selector),
        term.namespaces,
        selector_key(term.namespace_selector),
        term.match_label_keys,
        term.mismatch_label_keys,
    )


def _avoiding(snapshot: Snapshot, pod: Pod, namespace_labels: Mapping[str, str]) -> Pairs:
    """Terms of bound pods that are about this one."""

    def make(root: Snapshot) -> Counter[tuple[str, str]]:
        found: Counter[tuple[str, str]] = Counter()
        avoiders = root.recall("avoiders", _avoiders)
        for alike in (*avoiders.get(pod.namespace, ()), *avoiders.get("", ())):
            for term in alike.terms:
                if term.about(pod.namespace, namespace_labels, pod.meta.labels):
                    for node, number in alike.nodes.items():
                        _add(found, root.nodes.get(node), term.topology_key, number)
        return found

    labels = frozenset(pod.meta.labels.items())
    question = ("avoiding", pod.namespace, frozenset(namespace_labels.items()), labels)
    root = snapshot.root
    known = root.recall(question, make)
    if not snapshot.changed:
        return known
    found = Counter(known)
    for name in sorted(snapshot.changed):
        for there, change in ((root, -1), (snapshot, 1)):
            for other in there.load(name).pods.values():
                for term in terms_of(other, other.affinity.pod_anti) if other.affinity else ():
                    if term.about(pod.namespace, namespace_labels, pod.meta.labels):
                        _add(found, there.nodes.get(name), term.topology_key, change)
    return {pair: number for pair, number in found.items() if number}


def _pods(count: int) -> str:
    return f"{count} pod{'' if count == 1 else 's'}"


def _selector_text(selector: LabelSelector | None) -> str:
    if selector is None:
        return "no labels at all"
    parts = [f"{key}={value}" for key, value in sorted(selector.match_labels.items())]
    parts += [f"{e.key} {e.operator} {','.join(e.values)}".strip() for e in selector.match_expressions]
    return ", ".join(parts) or "any labels"
