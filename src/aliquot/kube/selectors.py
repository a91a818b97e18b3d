"""Label selectors, node selectors, affinity and topology spread: who wants to be where, or beside whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from aliquot.kube.meta import EMPTY


@dataclass(frozen=True, slots=True)
class Requirement:
    """One expression: key, operator (In, NotIn, Exists, DoesNotExist, Gt, Lt), values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """metav1.LabelSelector: all labels and all expressions must match; an empty one matches everything."""

    match_labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    match_expressions: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeSelectorTerm:
    """All expressions (on labels) and all fields (metadata.name) must match; an empty term matches nothing."""

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True)
class NodeSelector:
    """Any of the terms must match."""

    terms: tuple[NodeSelectorTerm, ...]


@dataclass(frozen=True, slots=True)
class PodAffinityTerm:
    """A required term of podAffinity or podAntiAffinity."""

    topology_key: str
    selector: LabelSelector | None = None
    """None matches no pod."""
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    """None: not given; an empty selector: all namespaces."""
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Affinity:
    """The required parts of spec.affinity; preferred terms only change scores and aren't read."""

    node: NodeSelector | None = None
    pod: tuple[PodAffinityTerm, ...] = ()
    pod_anti: tuple[PodAffinityTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class TopologySpread:
    """A topologySpreadConstraint."""

    max_skew: int
    topology_key: str
    when_unsatisfiable: str = "DoNotSchedule"
    selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str = "Honor"
    node_taints_policy: str = "Ignore"
    match_label_keys: tuple[str, ...] = ()


def with_label_keys(affinity: Affinity | None, labels: Mapping[str, str]) -> Affinity | None:
    """The affinity of a pod with these labels, its label keys turned into selectors as the API server does on creation.

    For each key that the pod has, matchLabelKeys adds `key In (value)` to the term's selector and mismatchLabelKeys
    `key NotIn (value)`; the scheduler looks at the selector alone. Adding again changes nothing.
    """
    if affinity is None or not any(
        term.match_label_keys or term.mismatch_label_keys for term in (*affinity.pod, *affinity.pod_anti)
    ):
        return affinity
    return replace(
        affinity,
        pod=tuple(_merged(term, labels) for term in affinity.pod),
        pod_anti=tuple(_merged(term, labels) for term in affinity.pod_anti),
    )


def _merged(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    if term.selector is None:
        return term
    wanted = [
        *(Requirement(key, "In", (labels[key],)) for key in term.match_label_keys if key in labels),
        *(Requirement(key, "NotIn", (labels[key],)) for key in term.mismatch_label_keys if key in labels),
    ]
    new = tuple(requirement for requirement in wanted if requirement not in term.selector.match_expressions)
    selector = replace(term.selector, match_expressions=(*term.selector.match_expressions, *new))
    return replace(term, selector=selector)
