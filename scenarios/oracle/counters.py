"""Counters: what partitions of a device draw on together (KEP-4815)."""

from collections.abc import Iterator, Sequence

from aliquot.dra.device import Device, DeviceId
from scenarios.oracle.world import Given, World

Counter = tuple[str, str, str, str]
"""Driver, pool, counter set, counter."""


def overdrawn(world: World, given: Sequence[Given]) -> Iterator[str]:
    """Each device pays once, whether one has it or several share it; a look by admin access costs nothing.

    Of a set of which any counter is overdrawn already, nothing may be drawn.
    """
    paying = {each.device for each in given if not each.admin} - world.held
    left = dict(world.left)
    drawn = [(id_, *use) for id_ in paying for use in uses(id_, world.devices[id_])]
    for _, counter, amount in drawn:
        left[counter] -= amount
    for id_, counter, _ in drawn:
        if left[counter] < 0:
            yield f"{id_}: {'/'.join(counter[2:])} is overdrawn"
        elif any(one[:3] == counter[:3] and amount < 0 for one, amount in world.left.items()):
            yield f"{id_}: {counter[2]} is overdrawn already"


def uses(id_: DeviceId, device: Device) -> Iterator[tuple[Counter, int]]:
    """What a device draws, in nano-units."""
    for use in device.consumes:
        for name, amount in use.counters.items():
            yield (id_.driver, id_.pool, use.counter_set, name), amount.nanos
