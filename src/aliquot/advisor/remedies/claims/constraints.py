"""Ways out by another constraint: its attribute as devices spell it, or without it."""

from collections.abc import Iterator
from dataclasses import replace

from aliquot.advisor.case import Case, Spot
from aliquot.advisor.dra.attributes import probably_meant, published_attributes
from aliquot.advisor.dra.claims import Source
from aliquot.advisor.remedies.claims.change import claim_candidate
from aliquot.advisor.wayout import Candidate, Risk


def cures(case: Case, spot: Spot, source: Source, broken: set[str]) -> Iterator[Candidate]:
    """Each constraint that devices break, respelt or left out."""
    spec = source.claim.spec
    for index, constraint in enumerate(spec.constraints):
        attribute = constraint.match_attribute or constraint.distinct_attribute or ""
        if attribute not in broken:
            continue
        kind = "matchAttribute" if constraint.match_attribute else "distinctAttribute"
        pointer = f"{source.base}/constraints/{index}"
        meant = probably_meant(attribute, published_attributes(case.snapshot))
        if meant is not None:
            respelt = (
                replace(constraint, match_attribute=meant)
                if constraint.match_attribute
                else replace(constraint, distinct_attribute=meant)
            )
            yield claim_candidate(
                case,
                spot.node.name,
                source,
                replace(spec, constraints=(*spec.constraints[:index], respelt, *spec.constraints[index + 1 :])),
                [{"op": "replace", "path": f"{pointer}/{kind}", "value": meant}],
                kind="fix-claim",
                title=f"Correct the constraint: {kind} {meant} (not {attribute})",
                risk=Risk("low", "no device publishes the original, which looks like a slip"),
                rank=5,
            )
        yield claim_candidate(
            case,
            spot.node.name,
            source,
            replace(spec, constraints=(*spec.constraints[:index], *spec.constraints[index + 1 :])),
            [{"op": "remove", "path": pointer}],
            kind="change-request",
            title=f"Drop the constraint {kind} {attribute}",
            risk=Risk("medium", "the devices may then be far from each other: slower transfers between them"),
            rank=31,
        )
