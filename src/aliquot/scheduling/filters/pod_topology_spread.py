"""PodTopologySpread: constraints with DoNotSchedule keep a workload's pods level over the values of a node label."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

from aliquot.kube.matching import selector_key, selects
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import LabelSelector, Requirement, TopologySpread
from aliquot.scheduling.filters.equal_nodes import asked_labels, node_groups
from aliquot.scheduling.filters.node_affinity import wanted
from aliquot.scheduling.filters.pod_counts import matching_pods
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.filters.taint_toleration import intolerable
from aliquot.snapshot.snapshot import Snapshot

FILTER = "PodTopologySpread"
TEXT = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{TEXT} (missing required label)"


@dataclass(frozen=True, slots=True)
class Spread:
    """A pod's hard constraints, and how the pods that they count are spread now (the scheduler's PreFilter state)."""

    pod: Pod
    kubernetes: Kubernetes
    constraints: tuple[TopologySpread, ...]
    """With matchLabelKeys merged into the selectors."""
    domains: tuple[Mapping[str, int], ...]
    """Per constraint: label value -> pods counted, for every value that an eligible node has."""

    def shifted(self, node: Node, pod: Pod, change: int) -> "Spread":
        """With one counted pod more (1) or less (-1) on a node.

        As the scheduler does it: a pod being deleted wasn't counted at first, yet its removal is.
        """
        if pod.namespace != self.pod.namespace or not _has_keys(node, self.constraints):
            return self
        domains = list(self.domains)
        for nth, constraint in enumerate(self.constraints):
            if selects(constraint.selector, pod.meta.labels) and eligible(self.pod, node, constraint, self.kubernetes):
                value = node.meta.labels[constraint.topology_key]
                domains[nth] = {**domains[nth], value: domains[nth].get(value, 0) + change}
        return replace(self, domains=tuple(domains))


def spread_of(snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes) -> Spread | None:
    """Count once for a pod; None if it has no hard constraints."""
    constraints = tuple(_merged(c, pod) for c in pod.topology_spread if c.when_unsatisfiable == "DoNotSchedule")
    if not constraints:
        return None
    domains = tuple(_domains(snapshot, pod, constraint, constraints, kubernetes) for constraint in constraints)
    return Spread(pod, kubernetes, constraints, domains)


def _domains(
    snapshot: Snapshot,
    pod: Pod,
    constraint: TopologySpread,
    constraints: tuple[TopologySpread, ...],
    kubernetes: Kubernetes,
) -> Mapping[str, int]:
    """Value of the topology key -> pods counted, over all nodes that have every constraint's key and are eligible."""

    def value_on(node: Node | None) -> str | None:
        if node is None or not _has_keys(node, constraints) or not eligible(pod, node, constraint, kubernetes):
            return None
        return node.meta.labels[constraint.topology_key]

    def make(root: Snapshot) -> tuple[Mapping[str, str | None], Counter[str | None]]:
        keys = {c.topology_key for c in constraints}.union(asked_labels(pod))
        groups, examples = node_groups(root, tuple(sorted(keys)))
        by_group = [value_on(root.nodes[name]) for name in examples]
        values = {name: by_group[group] for name, group in zip(root.nodes, groups, strict=True)}
        return values, Counter(values.values())

    root = snapshot.root
    values, sizes = root.recall(_question(pod, constraint, constraints, kubernetes), make)
    changed = {name: value_on(snapshot.nodes.get(name)) for name in sorted(snapshot.changed)}
    if changed:
        sizes = sizes.copy()
        sizes.subtract(values[name] for name in changed if name in values)
        sizes.update(changed.values())
    found = {value: 0 for value, size in sizes.items() if value is not None and size > 0}
    for name, number in _counted(snapshot, pod, constraint).items():
        value = changed[name] if name in changed else values.get(name)
        if value is not None:
            found[value] += number
    return found


def _question(
    pod: Pod, constraint: TopologySpread, constraints: tuple[TopologySpread, ...], kubernetes: Kubernetes
) -> Hashable:
    """What decides which nodes take part in a constraint, and with which value."""
    return (
        "spread",
        constraint.topology_key,
        constraint.node_affinity_policy,
        constraint.node_taints_policy,
        tuple(c.topology_key for c in constraints),
        tuple(sorted(pod.node_selector.items())),
        pod.affinity.node if pod.affinity else None,
        pod.tolerations,
        kubernetes,
    )


def skewed(spread: Spread, node: Node) -> tuple[Reason, ...]:
    """Each constraint that the pod would break on this node; the scheduler counts the first."""
    found: list[Reason] = []
    for constraint, domains in zip(spread.constraints, spread.domains, strict=True):
        key = constraint.topology_key
        value = node.meta.labels.get(key)
        if value is None:
            found.append(
                Reason(
                    FILTER,
                    NO_LABEL,
                    asked=f"a value of {key}",
                    found=f"no label {key}",
                    missing=key,
                    subject=key,
                    counts=not found,
                )
            )
            continue
        least = min(domains.values(), default=0) if len(domains) >= (constraint.min_domains or 1) else 0
        here = domains.get(value, 0) + (1 if selects(constraint.selector, spread.pod.meta.labels) else 0)
        skew = here - least
        if skew > constraint.max_skew:
            found.append(
                Reason(
                    FILTER,
                    TEXT,
                    asked=f"skew over {key} of at most {constraint.max_skew}",
                    found=f"{here} with this pod in {value}, {least} where there are fewest",
                    missing=f"{skew - constraint.max_skew} less in {value}, or more elsewhere",
                    preemptible=True,
                    subject=key,
                    counts=not found,
                )
            )
    return tuple(found)


def eligible(pod: Pod, node: Node, constraint: TopologySpread, kubernetes: Kubernetes) -> bool:
    """Whether the node's pods are counted, by nodeAffinityPolicy and nodeTaintsPolicy."""
    if constraint.node_affinity_policy == "Honor" and not wanted(pod, node):
        return False
    return constraint.node_taints_policy != "Honor" or not intolerable(pod, node, kubernetes)


def _has_keys(node: Node, constraints: tuple[TopologySpread, ...]) -> bool:
    labels = node.meta.labels
    return all(constraint.topology_key in labels for constraint in constraints)


def _merged(constraint: TopologySpread, pod: Pod) -> TopologySpread:
    """The constraint with the pod's own values of matchLabelKeys asked for too."""
    labels = pod.meta.labels
    own = tuple(Requirement(k, "In", (labels[k],)) for k in constraint.match_label_keys if k in labels)
    if not own or constraint.selector is None:
        return constraint
    old = constraint.selector
    return replace(constraint, selector=LabelSelector(old.match_labels, (*old.match_expressions, *own)))


def _counted(snapshot: Snapshot, pod: Pod, constraint: TopologySpread) -> Mapping[str, int]:
    selector = constraint.selector
    if selector is None or not (selector.match_labels or selector.match_expressions):
        return {}  # the scheduler counts nothing for a selector that asks nothing

    def counts(namespace: str, labels: Mapping[str, str]) -> bool:
        return namespace == pod.namespace and selects(selector, labels)

    question = (pod.namespace, selector_key(selector))
    return matching_pods(snapshot, counts, question, (pod.namespace,), staying=True)
