"""Capacity: what a share takes of a device, and what is left of it (KEP-5075)."""

from collections.abc import Iterator, Mapping, Sequence

from aliquot.dra.device import Capacity, DeviceId
from aliquot.units.quantity import Quantity
from scenarios.oracle.world import Given, World


def short(world: World, given: Sequence[Given]) -> Iterator[str]:
    """Capacities that aren't enough for those who take of them; every request takes of every capacity."""
    if not world.features.consumable_capacity:
        return
    for id_ in dict.fromkeys(each.device for each in given):
        for name, capacity in world.devices[id_].capacity.items():
            amounts = [takes((each.recipe.capacity or {}).get(name), capacity) for each in given if each.device == id_]
            if None in amounts:
                yield f"{id_}: {name} breaks its policy"
                continue
            used = in_use(world, id_, name)
            together = sum(amount or 0 for amount in amounts)
            most = together if world.shareable(id_) else max(amount or 0 for amount in amounts)
            if used + most > capacity.value.nanos:
                yield f"{id_}: {name} is not enough"


def in_use(world: World, id_: DeviceId, name: str) -> int:
    """What the shares of allocated claims take of a capacity, in nano-units."""
    consumed: Mapping[str, Quantity] = world.state.consumed.get(id_, {})
    return consumed[name].nanos if name in consumed else 0


def takes(wanted: Quantity | None, capacity: Capacity) -> int | None:
    """What a request takes of a capacity, in nano-units; None: its policy forbids it."""
    policy = capacity.policy
    if wanted is None:
        return (policy.default if policy and policy.default is not None else capacity.value).nanos
    if policy is None:
        return wanted.nanos
    if policy.valid_range is not None and policy.valid_range.min is not None:
        low, step, most = policy.valid_range.min.nanos, policy.valid_range.step, policy.valid_range.max
        amount = max(wanted.nanos, low)
        if step is not None:
            amount = low - (low - amount) // step.nanos * step.nanos
        return None if most is not None and amount > most.nanos else amount
    if not policy.valid_values:
        return wanted.nanos
    return min((value.nanos for value in policy.valid_values if value.nanos >= wanted.nanos), default=None)
