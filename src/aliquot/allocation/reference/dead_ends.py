"""Dead ends that the reference has met already, so that it needn't walk through them again to count them.

Upstream permutes identical devices: ten requests on nine GPUs take it two million steps. What a search does from one
state on depends on that state alone. So a subtree that failed, and left the state as it was, will fail again in as many
steps. The walk is not pruned: its steps are added, only not walked.

A subtree that never got as far as the next request has only looked at devices from its start on. What was picked before
is nothing to it, so it's known by less: 21 devices of 20 are a few hundred states, not a million.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

from aliquot.allocation.reference.attempt import Attempt
from aliquot.allocation.reference.constraints import ConstraintState
from aliquot.allocation.reference.counters import CounterKey

W = TypeVar("W")

TRIAL: Final = 2_000
"""Dead ends after which remembering is given up if hardly any was met again: then it costs more than it saves."""
WORTH: Final = 20
"""At least one in so many must have been met again."""


class SearchPlace(Protocol):
    """A place in the walk; hashable, and equal for equal arguments of upstream's allocateOne."""

    @property
    def claim(self) -> int:
        """Number of the claim."""
        ...

    @property
    def request(self) -> int:
        """Number of the request in it."""
        ...

    @property
    def start(self) -> int:
        """Position of the first candidate to look at."""
        ...


@dataclass(frozen=True, slots=True)
class DeadEnd(Generic[W]):
    """A failed subtree: why it failed, and what the walk through it took."""

    why: W
    steps: int
    tests: int
    local: bool
    """It never got as far as the next request."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """Where a subtree begins, in two keys."""

    whole: Hashable
    """All that decides what happens from here on."""
    local: Hashable
    """All that decides what happens in this request."""


@dataclass(slots=True)
class DeadEnds(Generic[W]):
    """Dead ends by state."""

    attempt: Attempt
    _admin: bool = field(init=False)
    _ahead: list[frozenset[CounterKey]] = field(init=False, default_factory=list[frozenset[CounterKey]])
    """Candidate position -> the counters that it and the candidates after it consume."""
    _constraints: dict[tuple[int, int], tuple[ConstraintState, ...]] = field(
        init=False, default_factory=dict[tuple[int, int], "tuple[ConstraintState, ...]"]
    )
    """(claim, request) -> the constraints that can still matter from there on."""
    _whole: dict[Hashable, DeadEnd[W]] = field(init=False, default_factory=dict[Hashable, "DeadEnd[W]"])
    _local: dict[Hashable, DeadEnd[W]] = field(init=False, default_factory=dict[Hashable, "DeadEnd[W]"])
    _met: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        """Looks whether it matters which claim holds a device: only to admin access."""
        self._admin = any(asked.admin for alternatives in self.attempt.accepted.values() for asked in alternatives)

    @property
    def worth(self) -> bool:
        """Remembering pays, or it's too early to tell."""
        known = len(self._whole)
        return known < TRIAL or self._met * WORTH >= known

    def state(self, place: SearchPlace) -> SearchState:
        """Returns the state at a place."""
        attempt = self.attempt
        held = [
            (position, frozenset(claims) if self._admin else True)
            for position, claims in attempt.picked.items()
            if claims
        ]
        shared: Hashable = (
            place,
            len(attempt.held[place.claim]),
            attempt.capacity.fingerprint(),
            tuple(constraint.fingerprint() for constraint in self._constraints_ahead(place.claim, place.request)),
            tuple(
                wanted.amount.nanos
                for alternatives in attempt.accepted.values()
                for asked in alternatives
                for wanted in asked.requested.values()
            ),
        )
        later = frozenset((position, claims) for position, claims in held if position >= place.start)
        return SearchState(
            (shared, frozenset(held), attempt.counters.fingerprint(None)),
            (shared, later, attempt.counters.fingerprint(self._counters_ahead(place.start))),
        )

    def recall(self, state: SearchState) -> DeadEnd[W] | None:
        """Returns the dead end that begins at a state, if it's known."""
        known = self._local.get(state.local) or self._whole.get(state.whole)
        self._met += known is not None
        return known

    def record(self, state: SearchState, dead_end: DeadEnd[W]) -> None:
        """Remembers a dead end."""
        self._whole[state.whole] = dead_end
        if dead_end.local:
            self._local[state.local] = dead_end

    def _counters_ahead(self, start: int) -> frozenset[CounterKey]:
        if not self._ahead:
            counters = self.attempt.counters
            ahead: frozenset[CounterKey] = frozenset()
            found = [ahead]
            for candidate in reversed(self.attempt.candidates):
                own = counters.keys_of(candidate.pool, candidate.device)
                ahead = ahead if ahead.issuperset(own) else ahead.union(own)
                found.append(ahead)
            self._ahead = found[::-1]
        return self._ahead[start]

    def _constraints_ahead(self, claim: int, request: int) -> tuple[ConstraintState, ...]:
        """Constraints of this claim that cover a request from this one on, and those of later claims."""
        known = self._constraints.get((claim, request))
        if known is None:
            names = {asked.name for asked in self.attempt.claims[claim].spec.requests[request:]}
            known = tuple(
                constraint
                for constraint in self.attempt.constraints[claim]
                if not constraint.names or not names.isdisjoint(name.partition("/")[0] for name in constraint.names)
            ) + tuple(constraint for constraints in self.attempt.constraints[claim + 1 :] for constraint in constraints)
            self._constraints[claim, request] = known
        return known
