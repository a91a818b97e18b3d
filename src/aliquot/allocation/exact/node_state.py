"""What is left of a node's devices once allocated claims have theirs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aliquot.allocation.exact.node_devices import NodeDevices
from aliquot.allocation.exact.pool_allocations import PoolAllocations
from aliquot.allocation.rules.pools import PoolKey
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.question import Start
from aliquot.dra.device import DeviceId
from aliquot.units.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeState:
    """What is left. Bits are those of the node's devices."""

    start: Start
    overdrawn: int
    """Devices that draw on a counter set with a counter of which less than nothing is left, needed or not.

    kube-scheduler bars all of the pool's counter-consuming devices then (`Behaviour.overdrawn_blocks_pool`).
    """
    spent: int
    """Devices with a capacity of which more is used than there is."""
    barred: int
    """Either: no request without admin access can have them."""
    usable: int
    """What a request without admin access can have, at first."""
    busy: Mapping[int, Mapping[str, Quantity]]
    """Exclusive devices that have capacity in use (their driver changed its mind), and what."""


def state_of(devices: NodeDevices, allocations: Mapping[PoolKey, PoolAllocations]) -> NodeState:
    """The state of a node.

    Args:
        devices: the node's devices.
        allocations: per pool, what is allocated; pools without anything may be absent.
    """
    held = spent = paid = 0
    left = {number: shared.full for number, shared in devices.shared.items()}
    busy: dict[int, Mapping[str, Quantity]] = {}
    drawing: dict[int, list[int]] = {}
    for key, names in devices.numbers.items():
        pool = allocations.get(key)
        if pool is None:
            continue
        for name in pool.whole:
            number = names.get(name)
            if number is not None:
                held |= 1 << number
        for name, amounts in pool.consumed.items():
            number = names.get(name)
            if number is None:
                continue
            shared = devices.shared.get(number)
            if shared is None:
                busy[number] = amounts
                continue
            paid |= 1 << number
            rest = _rest(devices, number, amounts)
            if rest is None:
                spent |= 1 << number
            else:
                left[number] = shared.packed(rest)
        if key in devices.counters_of_pool:
            _draw(devices, key, (*pool.whole, *pool.shares, *pool.consumed), drawing)
    residual = [each.full for each in devices.counters]
    overdrawn = devices.negative_counters
    for place, uses in drawing.items():
        residual[place], short = devices.counters[place].drained(uses)
        if short:
            sets = {counter_set for counter_set, _ in short}
            for number in members(devices.counters[place].devices):
                if any(use.counter_set in sets for use in devices.devices[number].consumes):
                    overdrawn |= 1 << number
    free = devices.everything & ~held
    avail = free
    for place, each in enumerate(devices.counters):
        avail = avail & ~each.devices | (each.fit(residual[place]) | paid) & each.devices & free
    overdrawn &= ~paid
    barred = overdrawn | spent
    return NodeState(
        start=Start(free=free, avail=avail, paid=paid, residual=residual, left=left),
        overdrawn=overdrawn,
        spent=spent,
        barred=barred,
        usable=avail & ~barred,
        busy=busy,
    )


def _rest(devices: NodeDevices, number: int, used: Mapping[str, Quantity]) -> dict[str, int] | None:
    rest: dict[str, int] = {}
    for name, capacity in devices.devices[number].capacity.items():
        nanos = capacity.value.nanos - (used[name].nanos if name in used else 0)
        if nanos < 0:
            return None
        rest[name] = min(nanos, max(capacity.value.nanos, 0))
    return rest


def _draw(devices: NodeDevices, key: PoolKey, names: Iterable[str], drawing: dict[int, list[int]]) -> None:
    """Charges the counters of a pool's allocated devices, each once."""
    numbers = devices.numbers[key]
    for name in dict.fromkeys(names):
        number = numbers.get(name)
        if number is not None:
            place = devices.counters_of[number]
            if place >= 0:
                drawing.setdefault(place, []).append(devices.counters[place].use[number])
            continue
        amounts = devices.elsewhere.get(DeviceId(*key, name))
        for place in devices.counters_of_pool[key] if amounts else ():
            assert amounts is not None
            drawing.setdefault(place, []).append(devices.counters[place].packed(amounts))
