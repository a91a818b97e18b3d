"""Label selectors, node selectors, affinity and topology spread: who wants to be where, or beside whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
