"""Dead ends that the reference has met already, so that it needn't walk through them again to count them.

Upstream permutes identical devices: ten requests on nine GPUs take it two million steps. What a search does from one
state on depends on that state alone. So a subtree that failed, and left the state as it was, will fail again in as many
steps. The walk is not pruned: its steps are added, only not walked.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from aliquot.allocation.reference_attempt import Attempt

W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class DeadEnd(Generic[W]):
    """A failed subtree: why it failed, and what the walk through it took."""

    why: W
    steps: int
    tests: int


@dataclass(slots=True)
class Memory(Generic[W]):
    """Dead ends by state."""

    attempt: Attempt
    _admin: bool = field(init=False)
    _known: dict[Hashable, DeadEnd[W]] = field(init=False, default_factory=dict[Hashable, "DeadEnd[W]"])

    def __post_init__(self) -> None:
        """Looks whether it matters which claim holds a device: only to admin access."""
        self._admin = any(need.admin for needs in self.attempt.needs.values() for need in needs)

    def state(self, claim: int, place: Hashable) -> Hashable:
        """Returns all that decides what happens from a place in a claim on."""
        attempt = self.attempt
        if self._admin:
            held: Hashable = frozenset(
                (device, frozenset(claims)) for device, claims in attempt.picked.items() if claims
            )
        else:
            held = frozenset(device for device, claims in attempt.picked.items() if claims)
        return (
            place,
            held,
            len(attempt.takings[claim]),
            attempt.counters.fingerprint(),
            attempt.capacity.fingerprint(),
            tuple(rule.fingerprint() for rules in attempt.rules[claim:] for rule in rules),
            tuple(
                wanted.amount.nanos
                for needs in attempt.needs.values()
                for need in needs
                for wanted in need.wishes.values()
            ),
        )

    def recall(self, state: Hashable) -> DeadEnd[W] | None:
        """Returns the dead end that begins at a state, if it's known."""
        return self._known.get(state)

    def record(self, state: Hashable, dead_end: DeadEnd[W]) -> None:
        """Remembers a dead end."""
        self._known[state] = dead_end
