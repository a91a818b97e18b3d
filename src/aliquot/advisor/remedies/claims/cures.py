"""Ways out by another claim: a corrected or guarded selector, a toleration, fewer devices, another constraint.

A claim's spec can't be changed, and neither can a template's: the object is made anew, and the pending pod deleted, so
that a new claim is made from it.
"""

from collections.abc import Iterator

from aliquot.advisor.case import Case, Spot
from aliquot.advisor.dra.claims import places, sources
from aliquot.advisor.remedies.claims import amounts as claim_amounts
from aliquot.advisor.remedies.claims import constraints as claim_constraints
from aliquot.advisor.remedies.claims import selectors as claim_selectors
from aliquot.advisor.remedies.claims.change import Asked
from aliquot.advisor.wayout import Candidate
from aliquot.allocation.answer import (
    AttributeMissing,
    ConstraintBroken,
)


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """Whatever of the claims keeps this node's devices from serving them."""
    story = case.stories.get(spot.node.name)
    if story is None or not (spot.lacks_devices or case.error):
        return
    origins = sources(case.snapshot, case.pod)
    for request in story.requests:
        source = origins.get(request.claim)
        found = places(source.claim.spec).get(request.request) if source is not None else None
        if source is None or found is None:
            continue  # of an extended resource: kube-scheduler makes that claim
        asked = Asked(source, *found, request)
        yield from claim_selectors.cures(case, spot, asked)
        yield from claim_amounts.cures(case, spot, asked)
    broken = {
        reason.attribute
        for request in story.requests
        for device in request.devices
        for reason in device.reasons
        if isinstance(reason, ConstraintBroken | AttributeMissing)
    }
    for source in origins.values():
        yield from claim_constraints.cures(case, spot, source, broken)
    yield from claim_amounts.without_claim(case)
