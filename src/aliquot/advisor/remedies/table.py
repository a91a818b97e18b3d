"""The remedies, in the order in which they're thought of. Each proposes candidates for a case; none is tried here."""

from collections.abc import Callable, Iterator
from typing import Final

from aliquot.advisor.case import Case, Spot
from aliquot.advisor.remedies import (
    blocked,
    devices,
    free,
    gang,
    health,
    host_ports,
    plugins,
    priority,
    rollout,
    selectors,
    share,
    steer,
    taint_rules,
    taints,
    twice,
    volumes,
)
from aliquot.advisor.remedies.claims import classes, missing, stray, unused
from aliquot.advisor.remedies.claims import cures as claims
from aliquot.advisor.remedies.new_node import cures as new_node
from aliquot.advisor.remedies.requests import cures as requests
from aliquot.advisor.wayout import Advice, Candidate

Remedy = Callable[[Case], Iterator[Candidate]]


def _on_each_spot(cures: Callable[[Case, Spot], Iterator[Candidate]]) -> Remedy:
    """A remedy that looks at one node at a time, over all nodes of a case."""

    def remedy(case: Case) -> Iterator[Candidate]:
        for spot in case.spots:
            yield from cures(case, spot)

    return remedy


TAINTS: Final = _on_each_spot(taints.cures)
SELECTORS: Final = _on_each_spot(selectors.cures)
REQUESTS: Final = _on_each_spot(requests.cures)
HOST_PORTS: Final = _on_each_spot(host_ports.cures)

REMEDIES: Final[tuple[Remedy, ...]] = (
    blocked.cures,
    plugins.cures,
    rollout.cures,
    gang.cures,
    classes.cures,
    missing.cures,
    TAINTS,
    SELECTORS,
    REQUESTS,
    HOST_PORTS,
    _on_each_spot(volumes.cures),
    twice.cures,
    _on_each_spot(taint_rules.cures),
    _on_each_spot(health.cures),
    _on_each_spot(share.cures),
    _on_each_spot(free.cures),
    _on_each_spot(unused.cures),
    _on_each_spot(claims.cures),
    _on_each_spot(devices.cures),
    steer.cures,
    priority.cures,
    new_node.cures,
)
FIRST_STEPS: Final[tuple[Remedy, ...]] = (TAINTS, SELECTORS, REQUESTS, HOST_PORTS)
"""Those that may be the first of several changes: they cure one problem of a node, and leave the others."""


def advice(case: Case) -> Iterator[Advice]:
    """What is worth doing but can't be simulated."""
    for spot in case.spots:
        yield from taints.advice(case, spot)
        yield from share.advice(case, spot)
    yield from stray.advice(case)
    yield from selectors.advice(case)
    yield from volumes.advice(case)
