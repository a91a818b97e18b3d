"""The devices of a node's usable pools, in the order in which every search looks at them."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.allocation.rules.pools import Pool
from aliquot.dra.device import Device, DeviceId, Slice


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A device of a usable pool."""

    position: int
    id: DeviceId
    device: Device
    slice: Slice
    pool: Pool


def candidates_of(pools: Iterable[Pool]) -> tuple[Candidate, ...]:
    """Lists the devices of usable pools in search order: pool by pool, slice by slice."""
    found: list[Candidate] = []
    for pool in pools:
        for published in pool.here:
            for device in published.devices:
                id_ = DeviceId(*pool.key, device.name)
                found.append(Candidate(position=len(found), id=id_, device=device, slice=published, pool=pool))
    return tuple(found)
