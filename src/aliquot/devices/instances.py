"""MIG instances as a host reports them."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.devices.mig import Placement


@dataclass(frozen=True, slots=True)
class MigMode:
    """Whether MIG is on now, and whether it will be after a reset or a reboot."""

    current: bool
    pending: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputeInstance:
    """What a container sees as a device of its own: some of a GPU instance's compute slices."""

    id: int
    uuid: str | None = None
    """`MIG-…`. A hash of the place on newer drivers: the same again after the instance was made anew."""
    slices: int | None = None
    index: int | None = None
    """NVML's number of the MIG device on its GPU; another one's destruction may shift it. None: not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A GPU instance: its memory and its engines."""

    id: int
    """By its place in memory and used again: no identity over time."""
    profile: str
    """The profile's name as the node gives it, such as `1g.5gb`."""
    profile_id: int
    start: int | None
    """The first memory slice; None where the caller may not ask for it."""
    size: int | None
    """Memory slices."""
    memory_mib: int | None = None
    compute: tuple[ComputeInstance, ...] = ()
    """Usually one; none is what a failed creation or a stuck removal leaves."""

    @property
    def placement(self) -> Placement | None:
        """The place that it takes."""
        return None if self.start is None else Placement(self.start, self.profile)

    @property
    def uuid(self) -> str | None:
        """The device's UUID where the instance isn't divided further."""
        return self.compute[0].uuid if len(self.compute) == 1 else None


def placements_of(instances: Iterable[Instance]) -> tuple[Placement, ...]:
    """The places that instances take, by start; without those whose place isn't known."""
    return tuple(sorted(place for each in instances if (place := each.placement) is not None))
