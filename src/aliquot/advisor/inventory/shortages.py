"""What is used up: of counters by the devices that are allocated, of a shared device by its claims."""

from collections.abc import Iterable, Mapping, Sequence

from aliquot.dra.claim import AllocatedDevice
from aliquot.dra.device import CounterSet, Device
from aliquot.units.quantity import Quantity

Used = Mapping[tuple[str, str], Quantity]
"""(Counter set, counter) -> how much of it allocated devices have."""


def used_counters(allocated: Iterable[Device]) -> Used:
    """By the allocated devices of a pool; a shared one takes its counters once."""
    used: dict[tuple[str, str], Quantity] = {}
    for device in allocated:
        for use in device.consumes:
            for counter, amount in use.counters.items():
                before = used.get((use.counter_set, counter))
                used[use.counter_set, counter] = amount if before is None else before + amount
    return used


def lacking(device: Device, sets: Mapping[str, CounterSet], used: Used) -> tuple[str, ...]:
    """Counters that can't give what the device needs."""
    found: list[str] = []
    for use in device.consumes:
        for counter, amount in use.counters.items():
            there = sets.get(use.counter_set)
            total = there.counters.get(counter) if there is not None else None
            taken = used.get((use.counter_set, counter))
            if total is not None and amount > (total if taken is None else total - taken):
                found.append(f"{counter} of {use.counter_set}")
    return tuple(found)


def exhausted(device: Device, results: Sequence[AllocatedDevice]) -> tuple[str, ...]:
    """Capacities of a shared device of which its claims have all."""
    found: list[str] = []
    for name, capacity in device.capacity.items():
        shares = [one.consumed[name] for one in results if one.consumed is not None and name in one.consumed]
        if shares and sum(shares[1:], shares[0]) >= capacity.value:
            found.append(name)
    return tuple(found)
