"""Correct a slip; lower requests; fewer devices; another resource; a softer constraint."""

from collections.abc import Iterator

from aliquot.advisor.case import Case, Spot, is_extended
from aliquot.advisor.remedies.requests.constraints import softened
from aliquot.advisor.remedies.requests.lower import lower, lower_first
from aliquot.advisor.remedies.requests.others import ask, only_shares, others, without
from aliquot.advisor.remedies.requests.slips import corrected
from aliquot.advisor.wayout import Candidate
from aliquot.snapshot.effective import starting_first


def cures(case: Case, spot: Spot) -> Iterator[Candidate]:
    """On one node."""
    yield from corrected(case, spot)
    yield from lower(case, spot)
    yield from lower_first(case, spot)
    short = {name: reason for name, reason in spot.short_of().items() if is_extended(name)}
    for name, reason in short.items():
        free = reason.free
        holders = [one for one in (*case.pod.containers, *case.pod.init_containers) if one.requests.get(name)]
        holders = [] if name in starting_first(case.pod) else holders
        if 0 < free < reason.asked and len(holders) == 1:
            yield ask(case, spot, name, name, 1 if only_shares(case, name) else free)
        yield from without(case, spot, name)
        yield from others(case, spot, name, reason.asked)
    yield from softened(case, spot)
