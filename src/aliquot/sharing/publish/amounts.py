"""What a GPU or a MIG device holds: as capacities, and as counters that the partitions of one GPU share."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Final

from aliquot.devices.gpu import Gpu
from aliquot.devices.mig import Geometry, Placement, Profile, memory_of
from aliquot.dra.device import Capacity
from aliquot.units.quantity import Format, Quantity

MEMORY: Final = "memory"
_MIB: Final = 1 << 20
_ENGINES: Final[tuple[tuple[str, str, str], ...]] = (
    ("multiprocessors", "multiprocessors", "sm_count"),
    ("copyEngines", "copy-engines", "copy_engines"),
    ("decoders", "decoders", "decoders"),
    ("encoders", "encoders", "encoders"),
    ("jpegEngines", "jpeg-engines", "jpegs"),
    ("ofaEngines", "ofa-engines", "ofas"),
)
"""The name as a capacity, as a counter, and the field of a profile."""
MEDIA: Final = "media-extensions"
"""A counter of our own, where the table doesn't know the engines: a GPU has one set of them to give."""


@lru_cache(maxsize=1 << 12)
def count(value: int) -> Quantity:
    """A number of things."""
    return Quantity.of(value)


@lru_cache(maxsize=1 << 12)
def size(value: int) -> Quantity:
    """Bytes."""
    return Quantity.of(value, Format.BINARY_SI)


def whole_capacity(gpu: Gpu) -> dict[str, Capacity]:
    """A GPU that isn't divided on demand: its memory, as its driver reports it."""
    return {} if gpu.memory is None else {MEMORY: Capacity(size(gpu.memory.total))}


def divided_capacity(gpu: Gpu, geometry: Geometry) -> dict[str, Capacity]:
    """A whole GPU beside its places: as NVIDIA's driver has it, the most that a MIG profile holds of each.

    That's less memory than the driver reports, since no profile holds what MIG keeps for itself. Where the largest
    profile's memory is only guessed from its name, what the driver reports stays; of engines, what it doesn't tell is
    left out.
    """
    full = largest(geometry)
    told = {name: field for name, _, field in _ENGINES if getattr(full, field) is not None}
    engines = {
        name: Capacity(count(max(getattr(one, field) or 0 for one in geometry.profiles)))
        for name, field in told.items()
    }
    if memory_of(full).source == "label":
        return whole_capacity(gpu) | engines
    most = max(memory_of(one).mib for one in geometry.profiles)
    return {MEMORY: Capacity(size(most * _MIB)), **engines}


def capacity_of(profile: Profile, memory_mib: int | None = None) -> dict[str, Capacity]:
    """A MIG device; its memory as reported where it was, else as the table says."""
    memory = memory_of(profile).mib if memory_mib is None else memory_mib
    return {MEMORY: Capacity(size(memory * _MIB)), **_engines(profile)}


def slices_capacity(start: int, length: int) -> dict[str, Capacity]:
    """The memory slices on which an instance lies."""
    return {f"memorySlice{number}": Capacity(count(1)) for number in range(start, start + length)}


def _engines(profile: Profile) -> dict[str, Capacity]:
    return {
        name: Capacity(count(value)) for name, _, field in _ENGINES if (value := getattr(profile, field)) is not None
    }


def largest(geometry: Geometry) -> Profile:
    """The profile that takes the whole GPU."""
    return max(geometry.profiles, key=lambda one: (one.memory_slices or 0, one.compute_slices, one.plain))


class Counters:
    """The counters of one geometry: only those that all its profiles tell, since an unknown share can't be counted."""

    def __init__(self, geometry: Geometry) -> None:
        """Find what can be counted."""
        self._fields = {
            counter: field
            for _, counter, field in _ENGINES
            if all(getattr(profile, field) is not None for profile in geometry.profiles)
        }
        media = any(profile.takes_media_extension for profile in geometry.profiles)
        self._media = media and not {"jpeg-engines", "ofa-engines"} <= self._fields.keys()
        self.total: dict[str, Quantity] = {
            **{counter: count(_most(geometry, attrgetter(field))) for counter, field in self._fields.items()},
            **({MEDIA: count(1)} if self._media else {}),
            MEMORY: size(_most(geometry, lambda profile: memory_of(profile).mib) * _MIB),
            **{_slice(number): count(1) for number in range(geometry.memory_units or 0)},
        }
        """The whole GPU."""
        self._amounts = {profile.name: self._of(profile) for profile in geometry.profiles}
        self._lengths = {profile.name: profile.memory_slices or 0 for profile in geometry.profiles}

    def _of(self, profile: Profile) -> dict[str, Quantity]:
        found = {counter: count(getattr(profile, field)) for counter, field in self._fields.items()}
        found[MEMORY] = size(memory_of(profile).mib * _MIB)
        if self._media and profile.takes_media_extension:
            found[MEDIA] = count(1)
        return found

    def taken_by(self, place: Placement) -> dict[str, Quantity]:
        """What a partition at a place takes; a zero is told, as NVIDIA's driver does."""
        length = self._lengths[place.profile]
        slices = {_slice(number): count(1) for number in range(place.start, place.start + length)}
        return {**self._amounts[place.profile], **slices}

    def beside(self, standing: Iterable[Placement]) -> dict[str, Quantity]:
        """What instances that stand for good leave of the whole; slices that they take are no counters any more."""
        left: dict[str, Quantity] = dict(self.total)
        for place in standing:
            taken: Mapping[str, Quantity] = self.taken_by(place)
            left |= {name: left[name] - amount for name, amount in taken.items()}
        return {name: amount for name, amount in left.items() if not name.startswith("memory-slice-") or amount.sign}


def _most(geometry: Geometry, amount: Callable[[Profile], int]) -> int:
    """What the whole GPU holds: as its largest profile says, or as much as profiles side by side say together.

    Tables and drivers don't always agree with themselves, and a layout that the GPU takes mustn't be refused by a sum.
    """
    units = geometry.memory_units or 0
    # From each unit on, the most that fits behind it: without and with the one set of media engines.
    plain, media = [0] * (units + 1), [0] * (units + 1)
    for start in reversed(range(units)):
        plain[start], media[start] = plain[start + 1], media[start + 1]
        for profile in geometry.profiles:
            end = start + (profile.memory_slices or units + 1)
            if start not in profile.starts or end > units:
                continue
            if profile.takes_media_extension:
                media[start] = max(media[start], amount(profile) + plain[end])
            else:
                plain[start] = max(plain[start], amount(profile) + plain[end])
                media[start] = max(media[start], amount(profile) + media[end])
    return max(amount(largest(geometry)), plain[0], media[0])


def _slice(number: int) -> str:
    return f"memory-slice-{number}"
