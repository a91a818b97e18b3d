"""Whether wanted MIG instances fit beside existing ones on one GPU: where, or why not and what would help."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from aliquot.devices.layouts import (
    Placement,
    can_join,
    compute_units,
    mask_of,
    profile_in,
    units_of,
)
from aliquot.devices.mig import Geometry, Profile


class Shortage(StrEnum):
    """What a GPU is short of for one more instance."""

    MEMORY = "memory slices"
    COMPUTE = "compute slices"
    COUNT = "instances of the profile"
    MEDIA = "the media extension"


@dataclass(frozen=True, slots=True)
class Blocked:
    """A start that can't be used, and the instances that lie there."""

    start: int
    by: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """An existing instance to remove and create again elsewhere: it must be idle then."""

    instance: Placement
    to: int

    def __str__(self) -> str:
        return f"move {self.instance.profile} from {self.instance.start} to {self.to}"


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the wanted instances go, by start."""

    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoom:
    """Why they don't all fit: the first that has no place, after as many others as could be placed."""

    profile: str
    short_of: Shortage
    placed: tuple[Placement, ...]
    """The wanted ones that would fit."""
    blocked: tuple[Blocked, ...]
    """Each start of the profile, and what lies there (the placed ones too); a start with nothing there is free."""
    memory_free: tuple[int, ...]
    """Memory units that nothing covers."""
    compute_free: int
    compute_needed: int
    moves: tuple[Move, ...]
    """The fewest moves of existing instances that make all fit; empty if no moves do."""

    @property
    def reason(self) -> str:
        """The refusal in a sentence."""
        free = f"{self.compute_free} compute {_slices(self.compute_free)} free"
        if self.short_of is Shortage.COMPUTE:
            return f"{self.profile} needs {self.compute_needed} compute {_slices(self.compute_needed)}, {free}"
        if self.short_of is Shortage.COUNT:
            return f"{self.profile}: the GPU already holds as many as it may"
        if self.short_of is Shortage.MEDIA:
            return f"{self.profile}: the GPU gives its media extension to one instance only, and it's given"
        memory = f"memory {_slices(len(self.memory_free))} {_listed(self.memory_free)} free"
        left = memory if self.memory_free else "no memory slice free"
        return f"{self.profile} has no start left: {_starts(self.blocked)}; {left}, {free}"

    @property
    def advice(self) -> str | None:
        """The moves in words, or None."""
        return " and ".join(map(str, self.moves)) or None


def fits(geometry: Geometry, existing: Sequence[Placement], wanted: Sequence[str]) -> Fit | NoRoom:
    """Find places for wanted instances beside existing ones, which stay where they are.

    Of all solutions the one is taken that leaves the most starts for later instances, and then the lowest starts.

    Args:
        geometry: the GPU's.
        existing: a legal state.
        wanted: profile names; a name twice is two instances.

    Raises:
        ValueError: as `layouts.profile_in`.
    """
    held = tuple((p.start, profile_in(geometry, p.profile)) for p in existing)
    profiles = tuple(sorted((profile_in(geometry, name) for name in wanted), key=_largest_first))
    best = _best(geometry, held, profiles)
    if best is not None:
        return Fit(best)
    return _refuse(geometry, tuple(existing), held, profiles)


Held = tuple[tuple[int, Profile], ...]


def _largest_first(profile: Profile) -> tuple[int, int, str]:
    return (-(profile.memory_slices or 0), -profile.compute_slices, profile.name)


def _taken(held: Held) -> int:
    mask = 0
    for start, profile in held:
        mask |= mask_of(profile, start)
    return mask


def _solutions(geometry: Geometry, held: Held, wanted: tuple[Profile, ...], lowest: int = 0) -> Iterator[Held]:
    """All ways to add the wanted ones; equal profiles in rising starts only, so that no solution comes twice."""
    if not wanted:
        yield ()
        return
    profile, rest = wanted[0], wanted[1:]
    profiles, taken = [p for _, p in held], _taken(held)
    for start in profile.starts:
        if start >= lowest and can_join(geometry, profiles, taken, profile, start):
            above = start + 1 if rest and rest[0] is profile else 0
            for tail in _solutions(geometry, (*held, (start, profile)), rest, above):
                yield ((start, profile), *tail)


def _possible(geometry: Geometry, held: Held, wanted: tuple[Profile, ...]) -> bool:
    return next(_solutions(geometry, held, wanted), None) is not None


def _best(geometry: Geometry, held: Held, wanted: tuple[Profile, ...]) -> tuple[Placement, ...] | None:
    best: tuple[int, tuple[Placement, ...]] | None = None
    for solution in _solutions(geometry, held, wanted):
        placements = tuple(sorted(Placement(start, profile.name) for start, profile in solution))
        candidate = (-_room(geometry, (*held, *solution)), placements)
        if best is None or candidate < best:
            best = candidate
    return None if best is None else best[1]


def _room(geometry: Geometry, held: Held) -> int:
    """How many starts are left for one more plain instance, over all profiles."""
    profiles, taken = [p for _, p in held], _taken(held)
    return sum(
        can_join(geometry, profiles, taken, profile, start)
        for profile in geometry.plain_profiles()
        for start in profile.starts
    )


def _refuse(geometry: Geometry, existing: tuple[Placement, ...], held: Held, wanted: tuple[Profile, ...]) -> NoRoom:
    placed: tuple[Placement, ...] = ()
    done: tuple[Profile, ...] = ()
    failed: list[Profile] = []
    for profile in wanted:
        grown = _best(geometry, held, (*done, profile))
        if grown is None:
            failed.append(profile)
        else:
            placed, done = grown, (*done, profile)
    profile = failed[0]
    here = (*existing, *placed)
    everything = (*held, *((p.start, profile_in(geometry, p.profile)) for p in placed))
    taken, profiles = _taken(everything), [p for _, p in everything]
    compute_free = compute_units(geometry) - sum(p.compute_slices for p in profiles)
    blocked = tuple(Blocked(start, _lying_at(geometry, here, profile, start)) for start in profile.starts)
    return NoRoom(
        profile=profile.name,
        short_of=_shortage(profile, profiles, compute_free, blocked),
        placed=placed,
        blocked=blocked,
        memory_free=tuple(unit for unit in range(geometry.memory_units or 0) if not taken >> unit & 1),
        compute_free=compute_free,
        compute_needed=profile.compute_slices,
        moves=_moves(geometry, existing, held, wanted),
    )


def _shortage(profile: Profile, profiles: Sequence[Profile], compute_free: int, blocked: Sequence[Blocked]) -> Shortage:
    if profile.compute_slices > compute_free:
        return Shortage.COMPUTE
    if profile.takes_media_extension and any(p.takes_media_extension for p in profiles):
        return Shortage.MEDIA
    return Shortage.MEMORY if all(each.by for each in blocked) else Shortage.COUNT


def _lying_at(geometry: Geometry, state: Sequence[Placement], profile: Profile, start: int) -> tuple[Placement, ...]:
    wanted = set(units_of(profile, start))
    return tuple(sorted(p for p in state if wanted & set(units_of(profile_in(geometry, p.profile), p.start))))


def _moves(
    geometry: Geometry, existing: tuple[Placement, ...], held: Held, wanted: tuple[Profile, ...]
) -> tuple[Move, ...]:
    """The fewest existing instances to move, and where to, so that all the wanted ones fit."""
    if not _possible(geometry, (), tuple(sorted((*(p for _, p in held), *wanted), key=_largest_first))):
        return ()
    subsets = (moving for count in range(1, len(existing) + 1) for moving in combinations(range(len(existing)), count))
    return next(moves for moving in subsets if (moves := _moves_of(geometry, existing, held, wanted, moving)))


def _moves_of(
    geometry: Geometry,
    existing: tuple[Placement, ...],
    held: Held,
    wanted: tuple[Profile, ...],
    moving: tuple[int, ...],
) -> tuple[Move, ...]:
    staying = tuple(held[i] for i in range(len(held)) if i not in moving)
    moved = tuple(sorted((held[i][1] for i in moving), key=_largest_first))
    for solution in _solutions(geometry, staying, moved):
        if _possible(geometry, (*staying, *solution), wanted):
            return _paired(tuple(existing[i] for i in moving), solution)
    return ()


def _paired(moving: Sequence[Placement], solution: Held) -> tuple[Move, ...]:
    """Match the moved instances with the new places of their profiles, in rising starts."""
    places = sorted((Placement(start, profile.name) for start, profile in solution), key=_by_profile)
    pairs = zip(sorted(moving, key=_by_profile), places, strict=True)
    return tuple(Move(old, new.start) for old, new in pairs if old.start != new.start)


def _by_profile(placement: Placement) -> tuple[str, int]:
    return (placement.profile, placement.start)


def _starts(blocked: Sequence[Blocked]) -> str:
    """The starts, those with the same instance in the way together."""
    groups: dict[tuple[Placement, ...], list[int]] = {}
    for each in blocked:
        groups.setdefault(each.by, []).append(each.start)
    return "; ".join(
        f"{'start' if len(starts) == 1 else 'starts'} {_listed(starts)} taken by {_joined(by)}"
        for by, starts in groups.items()
    )


def _joined(placements: Sequence[Placement]) -> str:
    return " and ".join(map(str, placements))


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _slices(count: int) -> str:
    return "slice" if count == 1 else "slices"
