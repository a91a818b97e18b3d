"""The devices of one GPU: it as a whole, its MIG instances that stand, and every place where another one may be made.

A place is a device that draws on its GPU's counters, so that the scheduler gives out only what fits together. Instances
that stand are devices of their own; what they hold is no longer in the counters, and what doesn't fit beside them isn't
offered.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from aliquot.devices.gpu import Gpu
from aliquot.devices.instances import Instance
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.mig.fitting import still_fit
from aliquot.devices.survey import Driver
from aliquot.dra.device import Capacity, CounterSet, CounterUse, Device, DeviceTaint
from aliquot.sharing.publish.amounts import (
    Counters,
    capacity_of,
    divided_capacity,
    slices_capacity,
    whole_capacity,
)
from aliquot.sharing.publish.attributes import partition, whole
from aliquot.units.quantity import Quantity

Taints = tuple[DeviceTaint, ...]


def gpu_name(minor: int) -> str:
    """`gpu-0`: by its minor number, which is its device node's."""
    return f"gpu-{minor}"


def mig_name(minor: int, profile: str, profile_id: int, start: int) -> str:
    """`gpu-0-mig-1g5gb-19-0` of a 1g.5gb: names of devices have no dots and no plus."""
    return f"gpu-{minor}-mig-{profile.replace('.', '').replace('+', '-')}-{profile_id}-{start}"


def set_name(minor: int) -> str:
    """`gpu-0-counter-set`."""
    return f"gpu-{minor}-counter-set"


def undivided(gpu: Gpu, minor: int, driver: Driver | None, taints: Taints) -> Device:
    """The whole GPU where it isn't divided on demand."""
    return Device(gpu_name(minor), whole(gpu, driver), whole_capacity(gpu), taints=taints)


def whole_device(gpu: Gpu, minor: int, driver: Driver | None, geometry: Geometry, taints: Taints) -> Device:
    """The whole GPU beside its places: it draws on everything."""
    use = CounterUse(set_name(minor), _counters(geometry).total)
    return Device(gpu_name(minor), whole(gpu, driver), divided_capacity(gpu, geometry), (use,), taints=taints)


def counter_set(minor: int, geometry: Geometry, standing: Sequence[Placement]) -> CounterSet:
    """What there is to share."""
    return CounterSet(set_name(minor), _counters(geometry).beside(standing))


def places(
    gpu: Gpu, minor: int, driver: Driver | None, geometry: Geometry, standing: Sequence[Placement], taints: Taints
) -> Iterator[Device]:
    """A device for each place that is free beside the standing instances, profile by profile."""
    fits, table = still_fit(geometry, standing), _table(geometry)
    for profile in geometry.profiles:
        if profile.profile_id is None or not fits[profile.name]:
            continue
        attributes = partition(gpu, driver, profile.name)
        for start in fits[profile.name]:
            capacity, counters = table[Placement(start, profile.name)]
            yield Device(
                mig_name(minor, profile.name, profile.profile_id, start),
                attributes,
                capacity,
                (CounterUse(set_name(minor), counters),),
                taints=taints,
            )


def standing_device(
    gpu: Gpu, minor: int, driver: Driver | None, instance: Instance, geometry: Geometry | None, taints: Taints
) -> Device | str:
    """The device of an instance that is there; or why it isn't one."""
    if instance.start is None or instance.size is None:
        return "where it lies isn't known: the agent needs more rights"
    if not instance.compute:
        return "it has no compute instance: a leftover, which may be destroyed"
    if len(instance.compute) > 1 or instance.uuid is None:
        return "it's divided further, into compute instances" if len(instance.compute) > 1 else "its UUID isn't known"
    profile = geometry.profile(instance.profile) if geometry is not None else None
    capacity: dict[str, Capacity] = capacity_of(profile, instance.memory_mib) if profile is not None else {}
    return Device(
        mig_name(minor, instance.profile, instance.profile_id, instance.start),
        partition(gpu, driver, instance.profile, instance.uuid),
        {**capacity, **slices_capacity(instance.start, instance.size)},
        taints=taints,
    )


@lru_cache(maxsize=64)
def _counters(geometry: Geometry) -> Counters:
    return Counters(geometry)


@lru_cache(maxsize=64)
def _table(geometry: Geometry) -> Mapping[Placement, tuple[Mapping[str, Capacity], Mapping[str, Quantity]]]:
    """What each place holds and draws: the same on every GPU of a kind."""
    counters = _counters(geometry)
    return {
        (place := Placement(start, profile.name)): (capacity_of(profile), counters.taken_by(place))
        for profile in geometry.profiles
        for start in profile.starts
    }
