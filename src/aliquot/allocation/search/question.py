"""What the search works on: the claims' requests bound to one node's devices, all in whole numbers.

Nothing here knows names, expressions or quantities. Devices, counters and constraints are numbers; sets of devices are
bits; amounts are packed fields.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aliquot.allocation.search.attribute_values import Values
from aliquot.allocation.search.bits import union
from aliquot.allocation.search.counter_totals import Totals
from aliquot.allocation.search.counters import LinkedCounters


@dataclass(frozen=True, slots=True)
class Part:
    """One alternative of one step."""

    claim: int
    bits: int
    """Devices that may serve, as far as one device by itself can tell."""
    need: int
    """How many devices: the count, or all that mode All found."""
    admin: bool = False
    match: tuple[int, ...] = ()
    """The match constraints that cover it, in the claim's order (numbers of Question.match)."""
    distinct: tuple[int, ...] = ()
    consumes: Mapping[int, int] = field(default_factory=dict[int, int])
    """Shareable device -> what a share takes of its capacities, packed."""
    impossible: bool = False
    """Mode All found no device: it fails whatever happens."""
    every: int = 0
    """Mode All: the devices that it found, all of which it must get; 0: a counted request."""
    error_bits: int = 0
    """Devices on which its selectors have no verdict: fatal when the search looks at one."""
    order: tuple[tuple[str, int], ...] = ()
    """("match" or "distinct", number): its constraints in the claim's order."""


Step = tuple[Part, ...]
"""A request: its alternatives in order; one, if it's no prioritized list."""


class Devices(Protocol):
    """The devices that are taken from. Sets of devices are bits."""

    @property
    def counters(self) -> Sequence[LinkedCounters]:
        """What devices draw on."""
        ...

    @property
    def counters_of(self) -> Sequence[int]:
        """Device -> the place of the counters that it draws on; -1: it consumes none."""
        ...

    @property
    def shareable(self) -> int:
        """Devices that may be given several times."""
        ...

    @property
    def guards(self) -> Mapping[int, int]:
        """Shareable device -> guard bits of its capacities."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A whole question. The state at its start is in `Start`."""

    steps: Sequence[Step]
    counters: Sequence[LinkedCounters]
    counters_of: Sequence[int]
    """Device -> the place of those that it consumes; -1: it consumes none."""
    match: Sequence[Values]
    distinct: Sequence[Values]
    shareable: int
    """Devices that may be given several times."""
    guards: Mapping[int, int]
    """Shareable device -> guard bits of its capacities."""
    limit: int
    """Most devices for one claim."""
    totals: Totals | None = None
    """Counters summed by name, if there are any."""

    def drawing(self) -> int:
        """The devices that consume counters."""
        return union(each.devices for each in self.counters)

    def use(self, device: int) -> int:
        """What a device consumes, packed."""
        place = self.counters_of[device]
        return self.counters[place].use[device] if place >= 0 else 0


@dataclass(frozen=True, slots=True)
class Start:
    """What is left on the node before the search. Bits are devices, residuals are without guard bits."""

    free: int
    """Not taken by anybody."""
    avail: int
    """Free, and its counters fit."""
    paid: int
    """Shareable devices whose counters are charged already."""
    residual: Sequence[int]
    """Per group of linked counters."""
    left: Mapping[int, int]
    """Shareable device -> what is left of its capacities."""
