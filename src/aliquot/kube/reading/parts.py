"""Parts that many objects share, built from their raw JSON: labels, amounts, tolerations, selectors, affinity."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

import msgspec

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import EMPTY, Meta, Owner
from aliquot.kube.node import Resources
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.quick import quick
from aliquot.kube.reading.shape import Fault, FaultsError
from aliquot.kube.reading.wire.parts import (
    WireAffinity,
    WireCondition,
    WireLabelSelector,
    WireMeta,
    WireNodeSelector,
    WireOwner,
    WirePodAffinity,
    WireRequirement,
    WireSpread,
    WireToleration,
)
from aliquot.kube.selectors import (
    Affinity,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    Requirement,
    TopologySpread,
)
from aliquot.kube.taints import Toleration
from aliquot.units.quantity import Quantity, parse_milli, parse_quantity, parse_value

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""A copy of the whole manifest as an annotation: nothing decides by it, and it's as large as the object."""

_meta_of = quick(Meta)
_labels = msgspec.json.Decoder(dict[str, str | None])
_amounts = msgspec.json.Decoder(dict[str, msgspec.Raw])
_owners = msgspec.json.Decoder(list[WireOwner])
_tolerations = msgspec.json.Decoder(list[WireToleration])
_affinity = msgspec.json.Decoder(WireAffinity)
_node_selector = msgspec.json.Decoder(WireNodeSelector)
_label_selector = msgspec.json.Decoder(WireLabelSelector | None)
_spread = msgspec.json.Decoder(list[WireSpread])


def labels(raw: bytes) -> Mapping[str, str]:
    """A map of strings; a null value is an empty string, as in Go."""
    return MappingProxyType({key: value or "" for key, value in _labels.decode(raw).items()})


def annotations(raw: bytes) -> Mapping[str, str]:
    """Annotations, without kubectl's copy of the manifest."""
    read = {key: value or "" for key, value in _labels.decode(raw).items()}
    read.pop(LAST_APPLIED, None)
    return MappingProxyType(read)


def owners(raw: bytes) -> tuple[Owner, ...]:
    """metadata.ownerReferences."""
    return tuple(
        Owner(wire.kind or "", wire.name or "", wire.uid or "", bool(wire.controller), wire.api_version or "")
        for wire in _owners.decode(raw)
    )


def meta(wire: WireMeta, memo: Memo) -> Meta:
    """ObjectMeta of a namespaced kind; without a namespace it's in the one that the memo names."""
    return _meta(wire, memo, wire.namespace or memo.namespace)


def cluster_meta(wire: WireMeta, memo: Memo) -> Meta:
    """ObjectMeta of a cluster-scoped kind: a namespace that is written there counts for nothing."""
    return _meta(wire, memo, "")


def _meta(wire: WireMeta, memo: Memo, namespace: str) -> Meta:
    return _meta_of(
        wire.name,
        namespace,
        wire.uid or "",
        memo.of(labels, wire.labels, EMPTY),
        memo.of(annotations, wire.annotations, EMPTY),
        memo.of(owners, wire.owner_references, ()),
        wire.creation_timestamp,
        wire.deletion_timestamp,
        wire.generation or 0,
        wire.resource_version or "",
        tuple(wire.finalizers) if wire.finalizers else (),
    )


def conditions(wires: Iterable[WireCondition] | None) -> tuple[Condition, ...]:
    """status.conditions."""
    return tuple(
        Condition(
            wire.type or "",
            wire.status or "",
            wire.reason or "",
            wire.message or "",
            wire.last_transition_time,
            wire.last_probe_time or wire.last_update_time,
        )
        for wire in wires or ()
    )


def amount_text(raw: msgspec.Raw) -> str:
    """The text of a quantity that is a JSON string or a number.

    Raises:
        FaultsError: it's neither.
    """
    data = bytes(raw)
    if data[:1] == b'"':
        return msgspec.json.decode(data, type=str)
    if data[:1] in b"-0123456789":
        return data.decode()
    if data == b"null":
        return "0"
    raise FaultsError(Fault("", "expected a quantity"))


def quantity(raw: msgspec.Raw) -> Quantity:
    """A quantity, exact; null is zero, as in Go.

    Raises:
        ValueError: it isn't one.
    """
    return parse_quantity(amount_text(raw))


def resource_amount(name: str, raw: msgspec.Raw) -> int:
    """In the scheduler's units: cpu in millicores, all others in whole units, rounded up.

    Beyond 64 bits Go's numbers wrap around, and mean nothing; the amount is exact here, and fits nowhere.
    """
    return _amount(amount_text(raw), name == "cpu")


@lru_cache(maxsize=16384)
def _amount(text: str, thousandths: bool) -> int:
    read = parse_quantity(text)
    exact = -(-read.nanos // (10**6 if thousandths else 10**9))
    if not -(2**63) <= exact < 2**63:
        return exact
    return parse_milli(text) if thousandths else parse_value(text)


def amounts_of(raw: Mapping[str, msgspec.Raw] | None) -> dict[str, int]:
    """Resource name -> amount, in the scheduler's units."""
    return {name: resource_amount(name, value) for name, value in (raw or {}).items()}


def amounts(raw: bytes) -> Resources:
    """A resource list (allocatable, capacity, overhead)."""
    return MappingProxyType(amounts_of(_amounts.decode(raw)))


def tolerations(raw: bytes) -> tuple[Toleration, ...]:
    """spec.tolerations; an absent operator means Equal."""
    return tuple(
        Toleration(
            wire.key or "", wire.operator or "Equal", wire.value or "", wire.effect or "", wire.toleration_seconds
        )
        for wire in _tolerations.decode(raw)
    )


def requirements(wires: Iterable[WireRequirement] | None) -> tuple[Requirement, ...]:
    """Expressions of a selector."""
    return tuple(Requirement(wire.key, wire.operator, tuple(wire.values or ())) for wire in wires or ())


def label_selector(wire: WireLabelSelector | None) -> LabelSelector | None:
    """metav1.LabelSelector; None stays None, since it matches nothing and an empty one everything."""
    if wire is None:
        return None
    data = bytes(wire.match_labels)
    match_labels = labels(data) if data not in {b"", b"null"} else EMPTY
    return LabelSelector(match_labels, requirements(wire.match_expressions))


def label_selector_of(raw: bytes) -> LabelSelector | None:
    """metav1.LabelSelector."""
    return label_selector(_label_selector.decode(raw))


def number_or_percentage(raw: msgspec.Raw) -> str:
    """An IntOrString as written; empty: not given."""
    data = bytes(raw)
    if data in {b"", b"null"}:
        return ""
    value = msgspec.json.decode(data)
    return str(value) if isinstance(value, (str, int)) else ""


def node_selector(wire: WireNodeSelector | None) -> NodeSelector | None:
    """v1.NodeSelector."""
    if wire is None:
        return None
    return NodeSelector(
        tuple(
            NodeSelectorTerm(requirements(term.match_expressions), requirements(term.match_fields))
            for term in wire.node_selector_terms or ()
        )
    )


def node_selector_of(raw: bytes) -> NodeSelector | None:
    """v1.NodeSelector."""
    return node_selector(_node_selector.decode(raw))


def _pod_terms(wire: WirePodAffinity | None) -> tuple[PodAffinityTerm, ...]:
    if wire is None:
        return ()
    return tuple(
        PodAffinityTerm(
            term.topology_key,
            label_selector(term.label_selector),
            tuple(term.namespaces or ()),
            label_selector(term.namespace_selector),
            tuple(term.match_label_keys or ()),
            tuple(term.mismatch_label_keys or ()),
        )
        for term in wire.required_during_scheduling_ignored_during_execution or ()
    )


def affinity(raw: bytes) -> Affinity:
    """The required parts of spec.affinity."""
    wire = _affinity.decode(raw)
    node = wire.node_affinity.required_during_scheduling_ignored_during_execution if wire.node_affinity else None
    return Affinity(node_selector(node), _pod_terms(wire.pod_affinity), _pod_terms(wire.pod_anti_affinity))


def topology_spread(raw: bytes) -> tuple[TopologySpread, ...]:
    """spec.topologySpreadConstraints, with the API server's defaults."""
    return tuple(
        TopologySpread(
            wire.max_skew,
            wire.topology_key,
            wire.when_unsatisfiable or "DoNotSchedule",
            label_selector(wire.label_selector),
            wire.min_domains,
            wire.node_affinity_policy or "Honor",
            wire.node_taints_policy or "Ignore",
            tuple(wire.match_label_keys or ()),
        )
        for wire in _spread.decode(raw)
    )
