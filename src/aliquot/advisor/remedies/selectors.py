"""Ways past a node selector or a required node affinity: correct it, widen it, or drop it."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from aliquot.advisor import changes
from aliquot.advisor.case import Case, Spot, on_pod
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.causes.usable import of_runtime_class
from aliquot.advisor.gpus import PRODUCT, gpus_of
from aliquot.advisor.nearest import is_near, meant, nearest, telling
from aliquot.advisor.wayout import Advice, Candidate, Risk
from aliquot.devices.catalogue import parse_label
from aliquot.kube.matching import expression_text, field_holds, holds
from aliquot.kube.node import Node
from aliquot.kube.selectors import Affinity, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.snapshot.snapshot import Snapshot

OTHER_KIND = 31
"""Another kind of node than was asked for, rightly spelt: a larger change than letting the pod onto one of its kind."""


MACHINE = frozenset(
    {"kubernetes.io/arch", "kubernetes.io/os", "beta.kubernetes.io/arch", "beta.kubernetes.io/os"},
)
"""Labels of what an image must be built for."""


@dataclass(frozen=True, slots=True)
class Fix:
    """One corrected requirement. `after` None: nothing to correct it to, it can only go."""

    before: Requirement
    after: Requirement | None
    slip: bool
    """The correction is so near that the original was probably a slip."""
    text: str


def fix(requirement: Requirement, labels: Mapping[str, str], known: Collection[str]) -> Fix:
    """The nearest requirement that these labels meet.

    Args:
        requirement: one that they don't meet.
        labels: of the node.
        known: the values that nodes of the cluster have for the requirement's key. A wanted value that's among them
            was meant; one that isn't, but is much like one of them, is a slip for the nearest.
    """
    key, values = requirement.key, requirement.values
    have = labels.get(key)
    gone = Fix(requirement, None, slip=False, text=f"drop {expression_text(requirement)}")
    if requirement.operator == "In":
        if have is None:
            return _renamed(requirement, labels) or gone
        for wanted in values:
            if wanted not in known and meant(wanted, known) == have:
                mended = tuple(have if value == wanted else value for value in values)
                text = f"{key} is {have} (not {wanted})"
                return Fix(requirement, replace(requirement, values=mended), slip=True, text=text)
        wider = (*values, have)
        return Fix(requirement, replace(requirement, values=wider), slip=False, text=f"allow {key}={have} too")
    if requirement.operator == "NotIn" and have is not None:
        left = tuple(value for value in values if value != have)
        after = replace(requirement, values=left) if left else None
        return Fix(requirement, after, slip=False, text=f"no longer exclude {key}={have}")
    if requirement.operator == "Exists":
        return _renamed(requirement, labels) or gone
    if requirement.operator in ("Gt", "Lt") and have is not None and _is_int(have):
        bound = int(have) - 1 if requirement.operator == "Gt" else int(have) + 1
        text = f"{key} {'>' if requirement.operator == 'Gt' else '<'} {bound}"
        return Fix(requirement, replace(requirement, values=(str(bound),)), slip=False, text=text)
    return gone


def values_of(snapshot: Snapshot, key: str) -> frozenset[str]:
    """The values that nodes have for a label."""
    return snapshot.root.recall(
        ("label values", key),
        lambda root: frozenset(
            value for node in root.nodes.values() if (value := node.meta.labels.get(key)) is not None
        ),
    )


def _is_int(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _renamed(requirement: Requirement, labels: Mapping[str, str]) -> Fix | None:
    """The label that was probably meant: a near name that holds a wanted value (any, where none is asked).

    A value that only one kind of label has tells the label by itself: product names, instance types.
    """
    for name in nearest(requirement.key, labels):
        moved = replace(requirement, key=name)
        alike = is_near(requirement.key, name) or any(map(telling, requirement.values))
        if alike and holds(moved, labels):
            return Fix(requirement, moved, slip=True, text=f"the label is {name} (not {requirement.key})")
    return None


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Correct what fails on this node, or drop it."""
    if all(reason.filter != "NodeAffinity" for reason in spot.reasons):
        return
    labels = spot.node.meta.labels
    pod = case.pod
    if _by_runtime_class(case, spot):
        return  # admission would add it again
    wrong = [
        _instead(fix(Requirement(key, "In", (value,)), labels, values_of(case.snapshot, key)), labels)
        for key, value in sorted(pod.node_selector.items())
        if labels.get(key) != value
    ]
    selector = _mended_selector(pod.node_selector, labels, wrong, drop=False)
    term, bad = _nearest_term(case, spot.node)
    fixes = [*wrong, *bad]
    if not fixes:
        return
    slip = all(one.slip for one in fixes)
    near = all(one.slip or _suffixed(one) for one in fixes)
    machine = any(one.before.key in MACHINE for one in fixes)
    if any(one.after is not None for one in fixes):
        affinity = _mended_affinity(pod.affinity, term, bad, drop=False)
        yield _candidate(
            case,
            spot,
            selector,
            affinity,
            kind="fix-selector",
            title=("Correct the selector for" if slip else "Have it select")
            + f" {spot.node.name}: "
            + "; ".join(one.text for one in fixes),
            risk=Risk("low", "the original looks like a slip")
            if slip
            else Risk("high", _other_machine(fixes, labels))
            if machine
            else Risk("medium", f"the pod may then run on another kind of node than was asked for ({spot.node.name})"),
            rank=5 if slip else 15 if near else OTHER_KIND + _distance(spot.node, fixes),
        )
    yield _candidate(
        case,
        spot,
        _mended_selector(pod.node_selector, labels, wrong, drop=True),
        _mended_affinity(pod.affinity, term, bad, drop=True),
        kind="drop-selector",
        title="Drop " + "; ".join(expression_text(one.before) for one in fixes),
        risk=Risk("high", _other_machine(fixes, labels))
        if machine
        else Risk("medium", "the pod may then run on any kind of node"),
        rank=36,
    )


def _other_machine(fixes: list[Fix], labels: Mapping[str, str]) -> str:
    here = listed([labels[one.before.key] for one in fixes if one.before.key in MACHINE and one.before.key in labels])
    return f"its images must exist for {here or 'such nodes'}, which nothing in the input says: else it doesn't start"


def _distance(node: Node, fixes: list[Fix]) -> float:
    """How far this node's GPUs are from those that were asked for, by memory: more is nearer than less; below 1."""
    here = gpus_of(node)
    asked = next((parse_label(one.before.values[0]).model for one in fixes if one.before.key == PRODUCT), None)
    if here is None or asked is None or not here.memory_mib or not asked.memory_mib:
        return 0.0
    ratio = here.memory_mib / asked.memory_mib
    return min(0.4, (ratio - 1) / 20) if ratio >= 1 else 0.9 - ratio / 2.5


def _suffixed(one: Fix) -> bool:
    """The wanted value with something more, or less: `Tesla-T4` and `Tesla-T4-SHARED`."""
    after = one.after.values if one.after is not None else ()
    return any(
        new != old and (new.startswith(f"{old}-") or old.startswith(f"{new}-"))
        for old in one.before.values
        for new in after
    )


def _instead(one: Fix, labels: Mapping[str, str]) -> Fix:
    """A nodeSelector holds one value for each key: another can't be allowed beside it."""
    if one.slip or one.after is None:
        return one
    return replace(one, text=f"{one.before.key}={labels[one.before.key]} instead of {one.before.values[0]}")


def _candidate(
    case: Case,
    spot: Spot,
    selector: Mapping[str, str | None],
    affinity: Affinity | None,
    *,
    kind: str,
    title: str,
    risk: Risk,
    rank: float,
) -> Candidate:
    patch: dict[str, object] = {}
    after = {key: value for key, value in selector.items() if value is not None}
    if after != dict(case.pod.node_selector):
        patch["nodeSelector"] = dict(selector) if after else None
    if affinity != case.pod.affinity:
        patch["affinity"] = changes.node_affinity_patch(affinity.node if affinity else None)
    return Candidate(
        kind="fix-selector" if kind == "fix-selector" else "drop-selector",
        target="pod",
        title=title,
        changes=changes.pod_spec(case.owner, case.pod.name, patch),
        apply=on_pod(lambda pod: replace(pod, node_selector=after, affinity=affinity)),
        risk=risk,
        rank=rank,
        node=spot.node.name,
        cures="NodeAffinity",
    )


def _mended_selector(
    selector: Mapping[str, str], labels: Mapping[str, str], wrong: list[Fix], *, drop: bool
) -> dict[str, str | None]:
    """The merge patch of spec.nodeSelector together with what stays; None deletes a key."""
    mended: dict[str, str | None] = dict(selector)
    for one in wrong:
        if drop or one.after is None:
            mended[one.before.key] = None
        elif one.after.key != one.before.key:
            mended[one.before.key] = None
            mended[one.after.key] = one.after.values[0]
        else:
            mended[one.before.key] = labels[one.before.key]
    return mended


def _nearest_term(case: Case, node: Node) -> tuple[NodeSelectorTerm | None, list[Fix]]:
    """The term that lacks least on this node, and the corrections that it needs; terms with fields for others don't."""
    affinity, labels = case.pod.affinity, node.meta.labels
    if affinity is None or affinity.node is None:
        return None, []
    best: tuple[int, NodeSelectorTerm, list[Fix]] | None = None
    for term in affinity.node.terms:
        if any(not field_holds(one, node.name) for one in term.fields):
            continue
        bad = [
            fix(one, labels, values_of(case.snapshot, one.key)) for one in term.expressions if not holds(one, labels)
        ]
        score = sum(1 if one.slip else 2 for one in bad)
        if best is None or score < best[0]:
            best = (score, term, bad)
    return (best[1], best[2]) if best is not None else (None, [])


def _mended_affinity(
    affinity: Affinity | None, term: NodeSelectorTerm | None, bad: list[Fix], *, drop: bool
) -> Affinity | None:
    """The affinity with one term corrected.

    A term that loses every expression would match nothing: it goes, and with it the whole requirement, since any other
    term is narrower than no requirement at all.
    """
    if affinity is None or affinity.node is None or term is None or not bad:
        return affinity
    after = {one.before: None if drop else one.after for one in bad}
    kept = tuple(
        mended for one in term.expressions if (mended := after.get(one, one) if one in after else one) is not None
    )
    if not kept and not term.fields:
        return replace(affinity, node=None)
    terms = tuple(NodeSelectorTerm(kept, one.fields) if one is term else one for one in affinity.node.terms)
    return replace(affinity, node=NodeSelector(terms))


def _by_runtime_class(case: Case, spot: Spot) -> dict[str, str]:
    """What its RuntimeClass adds to the pod's selector and this node doesn't have."""
    added, labels = of_runtime_class(case.snapshot, case.pod), spot.node.meta.labels
    return {key: value for key, value in sorted(added.items()) if labels.get(key) != value}


def advice(case: Case) -> Iterator[Advice]:
    """Where a RuntimeClass selects nodes that aren't there: its runtime on a node, or another class."""
    for spot in case.spots:
        lacks = _by_runtime_class(case, spot)
        if lacks and spot.problems <= {"NodeAffinity"}:
            node = spot.node.name
            pairs = " ".join(shlex.quote(f"{key}={value}") for key, value in lacks.items())
            yield Advice(
                f"Install the runtime of RuntimeClass {case.pod.runtime_class} on {node} and label it so, or leave the "
                "pod's runtimeClassName away if it can run without",
                f"kubectl label node {shlex.quote(node)} {pairs}",
            )
            return
