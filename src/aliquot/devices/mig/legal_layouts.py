"""Which MIG instances may lie beside each other on one GPU, as a rule and as all the states that obey it.

The rule (NVIDIA's MIG user guide; figures of data/mig.json): memory ranges don't overlap, compute slices sum up to no
more than the GPU has, no profile exceeds its most, and the media extension is given once.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from aliquot.devices.mig.geometry import Geometry, Profile


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """An instance: a profile (by name) at the memory unit where it starts."""

    start: int
    profile: str

    def __str__(self) -> str:
        return f"{self.profile} at {self.start}"


State = tuple[Placement, ...]
"""The instances of one GPU, by start."""


@dataclass(frozen=True, slots=True)
class Uniform:
    """A layout of one profile all over, as mig-parted's shipped configuration names it."""

    name: str
    """Such as `all-1g.5gb`."""
    profile: Profile
    count: int
    """Instances per GPU."""


def units_of(profile: Profile, start: int) -> range:
    """The memory units that an instance covers."""
    return range(start, start + (profile.memory_slices or 0))


def profile_in(geometry: Geometry, name: str) -> Profile:
    """The profile of a name.

    Raises:
        ValueError: this GPU has none of the name, or where it may be placed isn't known.
    """
    profile = geometry.profile(name)
    if profile is None:
        offered = ", ".join(p.name for p in geometry.profiles)
        raise ValueError(f"{geometry.key} has no MIG profile {name}; it has {offered}")
    if not geometry.known:
        raise ValueError(f"where MIG instances of {geometry.key} may lie isn't published: read it from the node")
    return profile


def placement_in(geometry: Geometry, placement: Placement) -> Placement:
    """The same placement by the geometry's own name of the profile (drivers differ in some: `7g.79gb`, `7g.80gb`).

    Raises:
        ValueError: as `profile_in`.
    """
    return Placement(placement.start, profile_in(geometry, placement.profile).name)


def violations(geometry: Geometry, state: Sequence[Placement]) -> tuple[str, ...]:
    """Every breach of the rule, in words; empty if the state is legal.

    Raises:
        ValueError: as `profile_in`.
    """
    found: list[str] = []
    profiles = [profile_in(geometry, placement.profile) for placement in state]
    owner: dict[int, Placement] = {}
    for placement, profile in zip(state, profiles, strict=True):
        if placement.start not in profile.starts:
            found.append(f"{placement}: {profile.name} may start at {_listed(profile.starts)} only")
        for unit in units_of(profile, placement.start):
            other = owner.setdefault(unit, placement)
            if other is not placement:
                found.append(f"{placement} and {other} overlap in memory slice {unit}")
                break
    compute = sum(profile.compute_slices for profile in profiles)
    if compute > compute_units(geometry):
        found.append(f"{compute} compute slices are wanted of {compute_units(geometry)}")
    for profile, count in Counter(profiles).items():
        if count > profile.max_instances:
            found.append(f"{count} of {profile.name} are wanted, at most {profile.max_instances} may be")
    if sum(profile.takes_media_extension for profile in profiles) > 1:
        found.append("more than one instance wants the media extension (+me)")
    return tuple(found)


def compute_units(geometry: Geometry) -> int:
    """Compute slices of the GPU; 0 where they aren't published."""
    return geometry.compute_units or 0


def can_join(geometry: Geometry, profiles: Sequence[Profile], taken: int, profile: Profile, start: int) -> bool:
    """Whether an instance may join legal ones: their profiles, and a bit for each memory unit taken."""
    return (
        not taken & mask_of(profile, start)
        and sum(p.compute_slices for p in profiles) + profile.compute_slices <= compute_units(geometry)
        and sum(p is profile for p in profiles) < profile.max_instances
        and not (profile.takes_media_extension and any(p.takes_media_extension for p in profiles))
    )


def mask_of(profile: Profile, start: int) -> int:
    """A bit for each memory unit that an instance covers."""
    return ((1 << (profile.memory_slices or 0)) - 1) << start


def legal_states(geometry: Geometry, profiles: Sequence[Profile]) -> tuple[State, ...]:
    """Every legal state of these profiles, the empty one included, each by start and all in order."""
    return _states(geometry, tuple(profiles))


@lru_cache(maxsize=64)
def _states(geometry: Geometry, profiles: tuple[Profile, ...]) -> tuple[State, ...]:
    choices = sorted((start, p.name, p) for p in profiles for start in p.starts)
    starts = [(start, profile) for start, _, profile in choices]

    def extend(state: State, held: tuple[Profile, ...], taken: int, first: int) -> Iterator[State]:
        yield state
        for index in range(first, len(starts)):
            start, profile = starts[index]
            if can_join(geometry, held, taken, profile, start):
                grown = (*state, Placement(start, profile.name))
                yield from extend(grown, (*held, profile), taken | mask_of(profile, start), index + 1)

    return tuple(sorted(extend((), (), 0, 0)))


def maximal_states(geometry: Geometry, profiles: Sequence[Profile]) -> tuple[State, ...]:
    """The legal states to which no instance of these profiles can be added."""
    states = legal_states(geometry, profiles)
    smaller = {frozenset(state) - {placement} for state in states for placement in state}
    return tuple(state for state in states if frozenset(state) not in smaller)


def multisets(states: Sequence[State]) -> tuple[tuple[str, ...], ...]:
    """The distinct lists of profile names among states, wherever their instances lie."""
    return tuple(sorted({tuple(sorted(placement.profile for placement in state)) for state in states}))


def uniform_layouts(geometry: Geometry) -> tuple[Uniform, ...]:
    """The layouts of one profile all over, smallest instances first; empty where placements aren't published."""
    if not geometry.known:
        return ()
    layouts: list[Uniform] = []
    for profile in geometry.profiles:
        count = max(len(state) for state in legal_states(geometry, (profile,)))
        layouts.append(Uniform(f"all-{profile.name.replace('+', '.')}", profile, count))
    return tuple(sorted(layouts, key=lambda layout: (-layout.count, layout.name)))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
