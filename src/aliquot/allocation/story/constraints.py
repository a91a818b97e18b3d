"""Which devices a claim's constraints rule out, seen from what each request could have by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aliquot.allocation.answer import AttributeMissing, ConstraintBroken, ConstraintKind, DeviceReason
from aliquot.allocation.rules.candidates import Candidate
from aliquot.allocation.rules.constraints import ValueSet, attribute_of, covers, value_set
from aliquot.dra.claim import Constraint


@dataclass(frozen=True, slots=True)
class RequestCandidates:
    """One recipe of a claim, with the devices that would do by themselves."""

    request: str
    alternative: str
    """"" for a request without alternatives."""
    needed: int
    usable: tuple[Candidate, ...]


def values_of(candidate: Candidate, attribute: str, *, lists: bool) -> ValueSet | None:
    """Returns a device's values of an attribute; None: it has none that can be compared."""
    found = attribute_of(candidate.device, candidate.id.driver, attribute)
    if found is None or (not lists and isinstance(found.value, tuple)):
        return None
    return value_set(found)


def constraint_reasons(
    constraints: Sequence[Constraint],
    asked: RequestCandidates,
    all_asked: Sequence[RequestCandidates],
    candidate: Candidate,
    *,
    lists: bool,
) -> tuple[DeviceReason, ...]:
    """Returns what a claim's constraints have against a device.

    Args:
        constraints: the claim's.
        asked: what asks for the device.
        all_asked: all that is asked for of the claim, itself too.
        candidate: the device.
        lists: list attributes are on.
    """
    reasons: list[DeviceReason] = []
    for constraint in constraints:
        if not covers(frozenset(constraint.requests), asked.request, asked.alternative):
            continue
        attribute = constraint.match_attribute or constraint.distinct_attribute
        if attribute is None:
            continue
        kind: ConstraintKind = "distinctAttribute" if constraint.match_attribute is None else "matchAttribute"
        values = values_of(candidate, attribute, lists=lists)
        if values is None:
            reasons.append(AttributeMissing(kind, attribute))
        elif constraint.match_attribute is not None:
            offers = _others_cannot(constraint, attribute, all_asked, values, lists=lists)
            if offers is not None:
                reasons.append(ConstraintBroken(kind, attribute, told(values), offers))
    return tuple(reasons)


def told(values: ValueSet) -> str:
    """Returns values as text, in order."""
    return ", ".join(sorted(str(value) for value in values[1]))


def _others_cannot(
    constraint: Constraint, attribute: str, all_asked: Sequence[RequestCandidates], values: ValueSet, *, lists: bool
) -> tuple[str, ...] | None:
    """Returns what a request offers that can't agree with these values; None: every request can.

    A request can, if some value serves enough of its devices; one alternative that can is enough.
    """
    names = frozenset(constraint.requests)
    of_request: dict[str, list[RequestCandidates]] = {}
    for asked in all_asked:
        if covers(names, asked.request, asked.alternative):
            of_request.setdefault(asked.request, []).append(asked)
    for alternatives in of_request.values():
        counted = [_by_value(asked, attribute, lists=lists) for asked in alternatives]
        if any(
            any(by_value.get((values[0], value), 0) >= asked.needed for value in values[1])
            for asked, by_value in zip(alternatives, counted, strict=True)
        ):
            continue
        return tuple(sorted({str(value) for by_value in counted for _, value in by_value}))
    return None


def _by_value(asked: RequestCandidates, attribute: str, *, lists: bool) -> Mapping[tuple[str, object], int]:
    counts: dict[tuple[str, object], int] = {}
    for candidate in asked.usable:
        values = values_of(candidate, attribute, lists=lists)
        for value in values[1] if values is not None else ():
            assert values is not None
            counts[values[0], value] = counts.get((values[0], value), 0) + 1
    return counts
