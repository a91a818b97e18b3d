"""Claims compiled for the search, whatever the node: requests, alternatives, constraints, and what validation says."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.dra.claim import Claim, DeviceToleration
from aliquot.units.quantity import Quantity

ALL: Final = -1
"""The count of mode All."""

ConstraintOrder = tuple[tuple[str, int], ...]
"""("match" or "distinct", number) of the constraints that cover an alternative, in the claim's order."""

CapacityRequests = tuple[tuple[str, Quantity], ...]
"""Sorted by name."""


class Criteria(NamedTuple):
    """All that decides which devices of a node could serve, each by itself."""

    class_selectors: tuple[str | None, ...]
    selectors: tuple[str | None, ...]
    """The request's own."""
    tolerations: tuple[DeviceToleration, ...]
    capacity: CapacityRequests


@dataclass(slots=True)
class Alternative:
    """What a request asks for: what it says itself, or one of its `firstAvailable`."""

    id: int
    """Equal for equal criteria, among all that one `Compiler` has compiled."""
    criteria: Criteria
    count: int
    admin: bool
    match: tuple[int, ...] = ()
    distinct: tuple[int, ...] = ()
    order: ConstraintOrder = ()
    configured: bool = False
    """Its class has configuration."""


@dataclass(slots=True)
class CompiledRequest:
    """One request of one claim."""

    claim: int
    request: int
    alternatives: Sequence[Alternative]
    names: tuple[str, ...]
    """Of the alternatives, as results tell them: `request`, or `request/alternative`."""
    listed: bool
    """It's a prioritized list, maybe of one alternative."""


@dataclass(slots=True)
class NodeCheck:
    """What only the node can tell: an alternative's devices in mode All, or whether a claim stays within the limit."""

    claim: int
    step: int
    """The request whose mode All is counted; for the limit: the first request of the next claim."""
    alternative: int
    """-1: the limit of the claim."""


@dataclass(slots=True)
class CompiledClaims:
    """Claims that are to be allocated together. While they're being compiled, the tuples grow; most stay empty."""

    claims: Sequence[Claim]
    """As they were given."""
    steps: list[CompiledRequest]
    """The requests of all claims, in order."""
    match: tuple[str, ...] = ()
    """Attributes of the match constraints of all claims."""
    distinct: tuple[str, ...] = ()
    members: tuple[list[tuple[int, Alternative]], ...] = ()
    """Per match constraint: (step, what it asks for) of the requests without alternatives that it covers."""
    configured: frozenset[int] = frozenset()
    """Claims that have configuration, or use a class that has."""
    checks: tuple[NodeCheck, ...] = ()
    fatal: str = ""
    """The first problem that is the same on every node; it comes after the checks."""
    single: Alternative | None = None
    """What a single counted request asks for, if that is all there is: no constraint, configuration, admin access."""


def asked_as(claim: Claim, step: CompiledRequest, place: int) -> tuple[str, str]:
    """The class and the name of a request's alternative, as messages tell them."""
    request = claim.spec.requests[step.request]
    recipe = request.first_available[place] if step.listed else request.exactly
    return (recipe.class_name, recipe.name) if recipe is not None else ("", request.name)


def too_many(claim: Claim, least: int) -> str:
    """Upstream's words for a claim that needs more devices than a claim may have."""
    return f"claim {claim.meta.key}: number of requested devices {least} exceeds the claim limit of {RESULTS_LIMIT}"
