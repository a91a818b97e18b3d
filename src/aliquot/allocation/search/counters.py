"""Counters of partitionable devices, packed: linked counters in one whole number, a guard bit above each field.

Counter sets of a pool are linked if some device draws on both. "It fits" is one subtraction and one comparison
(`fits`). Each counter name is divided by the greatest common divisor of all its values in the pool, so the fields stay
narrow, and equal GPUs get equal numbers whatever their sets are called.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from aliquot.allocation.search.bits import union

CounterKey = tuple[str, str]
"""Counter set, counter."""
Amounts = Mapping[CounterKey, int]
"""Whole numbers in one unit for all counters (nano, as Quantity's finest)."""


def fits(use: int, residual: int, guard: int) -> bool:
    """Says whether a consumption is at most the residual, field by field: no field borrows from its guard bit."""
    return ((residual | guard) - use) & guard == guard


@dataclass(frozen=True, slots=True)
class LinkedCounters:
    """Linked counter sets of one pool."""

    devices: int
    """The devices (bits) that draw on them."""
    guard: int
    fields: tuple[tuple[CounterKey, int, int], ...]
    """Counter, its offset in the packed number, and what it was divided by."""
    full: int
    """The declared values, packed, without guard bits."""
    use: Mapping[int, int]
    """Device -> packed consumption."""
    shapes: tuple[tuple[int, int], ...]
    """(consumption, devices that have it), first device first."""
    _fit: dict[int, int] = field(default_factory=dict[int, int])

    def fit(self, residual: int) -> int:
        """The devices whose consumption is at most the residual, counter by counter."""
        found = self._fit.get(residual)
        if found is None:
            found = union(bits for use, bits in self.shapes if fits(use, residual, self.guard))
            self._fit[residual] = found
        return found

    def packed(self, amounts: Amounts) -> int:
        """A consumption as a packed number, without the counters of other groups."""
        return sum(amounts.get(key, 0) // divisor << offset for key, offset, divisor in self.fields)

    def drained(self, uses: Sequence[int]) -> tuple[int, tuple[CounterKey, ...]]:
        """What consumption leaves of the declared values, and the counters that it overdraws (told as 0 left)."""
        residual = self.full
        for use in uses:
            if not fits(use, residual, self.guard):
                return self._overdrawn(uses)
            residual -= use
        return residual, ()

    def _overdrawn(self, uses: Sequence[int]) -> tuple[int, tuple[CounterKey, ...]]:
        residual = 0
        short: list[CounterKey] = []
        for key, offset, width in self.widths():
            mask = (1 << width) - 1
            left = (self.full >> offset & mask) - sum(use >> offset & mask for use in uses)
            if left < 0:
                short.append(key)
            residual += max(left, 0) << offset
        return residual, tuple(short)

    def widths(self) -> list[tuple[CounterKey, int, int]]:
        """Per field: counter, offset, width without the guard bit."""
        ends = [*(offset for _, offset, _ in self.fields[1:]), self.guard.bit_length()]
        return [(key, offset, end - 1 - offset) for (key, offset, _), end in zip(self.fields, ends, strict=True)]


def linked_counters(
    sets: Mapping[str, Mapping[str, int]], uses: Sequence[tuple[int, Amounts]], elsewhere: Sequence[Amounts] = ()
) -> list[LinkedCounters]:
    """The linked counters of one pool.

    Args:
        sets: counter set -> counter -> declared value.
        uses: (device number, its consumption) of every device here that consumes counters.
        elsewhere: consumption of the pool's devices that only other nodes can use.
    """
    everybody = [*(amounts for _, amounts in uses), *elsewhere]
    divisors = _divisors(sets, everybody)
    widest = {(name, counter): value for name, counters in sets.items() for counter, value in counters.items()}
    for amounts in everybody:
        for key, amount in amounts.items():
            if amount > widest.get(key, 0):
                widest[key] = amount
    groups = _linked(uses)
    group_of = {name: place for place, names in enumerate(groups) for name in names}
    mine: list[list[tuple[int, Amounts]]] = [[] for _ in groups]
    for number, amounts in uses:
        mine[group_of[next(iter(amounts))[0]]].append((number, amounts))
    return [_packed(sets, names, each, divisors, widest) for names, each in zip(groups, mine, strict=True)]


def _packed(
    sets: Mapping[str, Mapping[str, int]],
    names: set[str],
    uses: Sequence[tuple[int, Amounts]],
    divisors: Mapping[str, int],
    widest: Amounts,
) -> LinkedCounters:
    fields: list[tuple[CounterKey, int, int]] = []
    places: dict[CounterKey, tuple[int, int]] = {}
    guard = full = offset = 0
    for key in sorted((name, counter) for name in names for counter in sets.get(name, ())):
        divisor = divisors[key[1]]
        width = max((widest[key] // divisor).bit_length(), 1)
        fields.append((key, offset, divisor))
        places[key] = (offset, divisor)
        full += (sets[key[0]][key[1]] // divisor) << offset
        guard |= 1 << (offset + width)
        offset += width + 1
    use: dict[int, int] = {}
    shapes: dict[int, int] = {}
    for number, amounts in uses:
        packed = 0
        for key, amount in amounts.items():
            at, divisor = places[key]
            packed += amount // divisor << at
        use[number] = packed
        shapes[packed] = shapes.get(packed, 0) | 1 << number
    return LinkedCounters(
        devices=sum(1 << number for number in use),
        guard=guard,
        fields=tuple(fields),
        full=full,
        use=use,
        shapes=tuple(shapes.items()),
    )


def _divisors(sets: Mapping[str, Mapping[str, int]], everybody: Sequence[Amounts]) -> dict[str, int]:
    divisors: dict[str, int] = {}
    for counters in sets.values():
        for counter, value in counters.items():
            divisors[counter] = gcd(divisors.get(counter, 0), value)
    for amounts in everybody:
        for (_, counter), value in amounts.items():
            divisors[counter] = gcd(divisors.get(counter, 0), value)
    return {counter: divisor or 1 for counter, divisor in divisors.items()}


def _linked(uses: Sequence[tuple[int, Amounts]]) -> list[set[str]]:
    """Groups of counter sets that devices link, in the order of their first device."""
    groups: list[set[str]] = []
    for _, amounts in uses:
        joined = {name for name, _ in amounts}
        apart: list[set[str]] = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        if joined:
            apart.append(joined)
        groups = apart
    return groups
