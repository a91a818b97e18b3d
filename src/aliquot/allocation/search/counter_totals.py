"""Counters summed by name: a bound on how many partitions all GPUs of a node can still give."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.search.bits import members
from aliquot.allocation.search.counters import LinkedCounters, fits

_WIDTH = 24
"""Bits that a sum may need beyond one counter's field: counters times devices stay far below 2**24."""


@dataclass(frozen=True, slots=True)
class Totals:
    """Per counter name, one field of a packed number, wide enough for sums over all groups of linked counters."""

    guard: int
    counterless: int
    """Devices that consume nothing."""
    use: Mapping[int, tuple[int, ...]]
    """Device -> consumption per name."""
    offsets: tuple[int, ...]
    spread: tuple[tuple[tuple[int, int, int], ...], ...]
    """Per group of linked counters, per field: (offset there, mask, offset here)."""
    _least: dict[int, int] = field(default_factory=dict[int, int])
    _parts: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])

    def least(self, devices: int) -> int:
        """The least that any of the devices consumes, name by name, packed."""
        found = self._least.get(devices)
        if found is None:
            rows = [self.use[device] for device in members(devices)]
            found = sum(
                min(column) << offset for column, offset in zip(zip(*rows, strict=True), self.offsets, strict=True)
            )
            self._least[devices] = found
        return found

    def exceeds(self, wanted: int, residual: Sequence[int]) -> bool:
        """Says whether more is wanted of some counter than all together have left."""
        have = sum(self.left(number, amount) for number, amount in enumerate(residual))
        return not fits(wanted, have, self.guard)

    def left(self, number: int, residual: int) -> int:
        """What is left in one group, in the fields of the sums."""
        known = self._parts.get((number, residual))
        if known is None:
            known = sum((residual >> at & mask) << offset for at, mask, offset in self.spread[number])
            self._parts[number, residual] = known
        return known


def totals_of(counters: Sequence[LinkedCounters], devices: int) -> Totals | None:
    """Sums over all linked counters; None if there are none.

    Args:
        counters: of all pools. A counter's name is taken for one thing within a divisor; equal names with different
            divisors (pools of different make) are kept apart.
        devices: all devices of the view, as bits.
    """
    if not counters:
        return None
    names: dict[tuple[str, int], int] = {}
    widest: list[int] = []
    for each in counters:
        for ((_, counter), _, width), (_, _, divisor) in zip(each.widths(), each.fields, strict=True):
            index = names.setdefault((counter, divisor), len(names))
            if index == len(widest):
                widest.append(0)
            widest[index] = max(widest[index], width)
    offsets: list[int] = []
    at = guard = 0
    for width in widest:
        offsets.append(at)
        at += width + _WIDTH
        guard |= 1 << at
        at += 1
    spread: list[tuple[tuple[int, int, int], ...]] = []
    use: dict[int, list[int]] = {}
    counterless = devices
    for each in counters:
        rows: list[tuple[int, int, int]] = []
        for ((_, counter), offset, width), (_, _, divisor) in zip(each.widths(), each.fields, strict=True):
            index = names[counter, divisor]
            mask = (1 << width) - 1
            rows.append((offset, mask, offsets[index]))
            for device, packed in each.use.items():
                use.setdefault(device, [0] * len(names))[index] += packed >> offset & mask
        spread.append(tuple(rows))
        counterless &= ~each.devices
    return Totals(
        guard=guard,
        counterless=counterless,
        use={device: tuple(row) for device, row in use.items()},
        offsets=tuple(offsets),
        spread=tuple(spread),
    )
