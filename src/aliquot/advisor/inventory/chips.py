"""Chips that devices are cut from, by the counters that they share: MIG slices, where drivers number them."""

from collections.abc import Mapping, Sequence

from aliquot.advisor.dra.chips import NUMBERED
from aliquot.advisor.inventory.shortages import Used
from aliquot.advisor.inventory.value import SLICES, Chip, Device, Part
from aliquot.dra import device as dra
from aliquot.dra.device import CounterSet
from aliquot.units.quantity import Quantity

Drawn = tuple[dra.Device, Device]
"""As published, and with its holders."""


def chip_of(counters: CounterSet, drawn: Sequence[Drawn], used: Used) -> Chip:
    """A set of counters, and the devices that draw on it; `used`: of all sets of its pool."""
    taken = [(published, device) for published, device in drawn if device.allocated]
    slots = sorted((int(found[1]), name) for name in counters.counters if (found := NUMBERED.fullmatch(name)))
    if slots:
        unit, total = SLICES, len(slots)
        parts = [_on_slots(published, device, counters.name, slots) for published, device in taken]
    else:
        unit = _busiest(counters, [published for published, _ in taken])
        total = counters.counters[unit].value() if unit else 0
        parts = [
            Part(device, None, _uses(published, counters.name).get(unit, _ZERO).value()) for published, device in taken
        ]
    return Chip(
        counters.name,
        unit,
        total,
        tuple(sorted((part for part in parts if part.length), key=lambda part: (part.start or 0, part.device.id))),
        tuple(device for _, device in drawn),
        counters.counters,
        {name: amount for (of, name), amount in used.items() if of == counters.name},
    )


_ZERO = Quantity.of(0)
_NOTHING: Mapping[str, Quantity] = {}


def _uses(published: dra.Device, counter_set: str) -> Mapping[str, Quantity]:
    return next((one.counters for one in published.consumes if one.counter_set == counter_set), _NOTHING)


def _on_slots(published: dra.Device, device: Device, counter_set: str, slots: Sequence[tuple[int, str]]) -> Part:
    uses = _uses(published, counter_set)
    mine = [number for number, (_, name) in enumerate(slots) if uses.get(name, _ZERO).sign > 0]
    joined = bool(mine) and mine[-1] - mine[0] + 1 == len(mine)
    return Part(device, mine[0] if joined else None, len(mine))


def _busiest(counters: CounterSet, taken: Sequence[dra.Device]) -> str:
    """The counter of which most is gone; memory where all are free."""
    best, most = "", -1.0
    for name, total in sorted(counters.counters.items(), key=lambda one: one[0] != "memory"):
        if total.sign <= 0:
            continue
        gone = sum(_uses(one, counters.name).get(name, _ZERO).value() for one in taken) / max(1, total.value())
        if gone > most:
            best, most = name, gone
    return best
