"""Whether wanted MIG instances fit beside existing ones on one GPU: where, or why not and what would help."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType

from aliquot.devices.mig.board import Bits, Board, board_of, numbers
from aliquot.devices.mig.geometry import Geometry, Profile
from aliquot.devices.mig.legal_layouts import Placement, mask_of, placement_in, profile_in, units_of
from aliquot.devices.mig.refusal import Blocked, Holder, Move, NoRoom, Shortage


@dataclass(frozen=True, slots=True)
class Fit:
    """Where the wanted instances go, by start."""

    placements: tuple[Placement, ...]


def fits(geometry: Geometry, existing: Sequence[Placement], wanted: Sequence[str]) -> Fit | NoRoom:
    """Find places for wanted instances beside existing ones, which stay where they are.

    Of all solutions the one is taken that leaves the most places for later plain instances, and then the lowest starts.

    Args:
        geometry: the GPU's.
        existing: a legal state.
        wanted: profile names; a name twice is two instances.

    Raises:
        ValueError: as `layouts.profile_in`.
    """
    board = board_of(geometry)
    profiles = [board.named.get(name) or profile_in(geometry, name) for name in wanted]
    profiles.sort(key=_largest_first)
    return _fits(board, _bits(board, existing), tuple(profile.name for profile in profiles))


def still_fit(geometry: Geometry, state: Sequence[Placement]) -> Mapping[str, tuple[int, ...]]:
    """Where one more instance of each profile may be created beside those of a legal state.

    Returns:
        The free starts by profile name; empty where none is left.

    Raises:
        ValueError: as `layouts.profile_in`.
    """
    board = board_of(geometry)
    return _still_fit(board, _bits(board, state))


def _bits(board: Board, state: Sequence[Placement]) -> Bits:
    try:
        return board.bits(state)
    except KeyError:  # by another driver's name of the profile, or no place at all
        return board.bits(placement_in(board.geometry, each) for each in state)


# A GPU has some thousand legal states at most, and few lists of wanted instances are asked for.
@lru_cache(maxsize=16384)
def _fits(board: Board, taken: Bits, wanted: tuple[str, ...]) -> Fit | NoRoom:
    profiles = tuple(board.named[name] for name in wanted)
    search = _Search(board)
    best = search.best(taken, profiles)
    return search.refusal(taken, profiles) if best is None else Fit(board.state(best))


@lru_cache(maxsize=16384)
def _still_fit(board: Board, taken: Bits) -> Mapping[str, tuple[int, ...]]:
    free = board.free(taken)
    return MappingProxyType({name: board.starts(free & places) for name, places in board.of_profile.items()})


def _largest_first(profile: Profile) -> tuple[int, int, str]:
    return (-(profile.memory_slices or 0), -profile.compute_slices, profile.name)


class _Search:
    def __init__(self, board: Board) -> None:
        self.board = board

    def solutions(self, taken: Bits, wanted: tuple[Profile, ...], above: int = 0) -> Iterator[Bits]:
        """All ways to add the wanted ones; equal profiles in rising starts only, so that no solution comes twice."""
        if not wanted:
            yield 0
            return
        profile, rest = wanted[0], wanted[1:]
        again = bool(rest) and rest[0] is profile
        for number in numbers(self.board.free(taken) & self.board.of_profile[profile.name] & ~((1 << above) - 1)):
            bit = 1 << number
            for tail in self.solutions(taken | bit, rest, number + 1 if again else 0):
                yield bit | tail

    def possible(self, taken: Bits, wanted: tuple[Profile, ...]) -> bool:
        return next(self.solutions(taken, wanted), None) is not None

    def best(self, taken: Bits, wanted: tuple[Profile, ...]) -> Bits | None:
        """Most places left free for plain profiles; then the lowest places."""
        board = self.board
        best, chosen = -1, 0
        for solution in self.solutions(taken, wanted):
            room = (board.free(taken | solution) & board.plain).bit_count()
            if room > best or (room == best and _lower(solution, chosen)):
                best, chosen = room, solution
        return None if best < 0 else chosen

    def refusal(self, taken: Bits, wanted: tuple[Profile, ...]) -> NoRoom:
        board, placed = self.board, 0
        done: tuple[Profile, ...] = ()
        failed: list[Profile] = []
        for profile in wanted:
            grown = self.best(taken, (*done, profile))
            if grown is None:
                failed.append(profile)
            else:
                placed, done = grown, (*done, profile)
        profile, everything = failed[0], taken | placed
        blocked = tuple(Blocked(start, self._lying_at(everything, profile, start)) for start in profile.starts)
        return NoRoom(
            profile=profile.name,
            short_of=self._shortage(profile, everything, blocked),
            placed=board.state(placed),
            blocked=blocked,
            memory_free=self._memory_free(everything),
            compute_free=board.compute_free(everything),
            compute_needed=profile.compute_slices,
            moves=self._moves(taken, wanted),
        )

    def _shortage(self, profile: Profile, taken: Bits, blocked: Sequence[Blocked]) -> Shortage:
        if profile.compute_slices > self.board.compute_free(taken):
            return Shortage.COMPUTE
        if profile.takes_media_extension and any(
            self.board.profiles[each].takes_media_extension for each in numbers(taken)
        ):
            return Shortage.MEDIA
        return Shortage.MEMORY if all(each.by for each in blocked) else Shortage.COUNT

    def _memory_free(self, taken: Bits) -> tuple[int, ...]:
        covered = 0
        for number in numbers(taken):
            covered |= mask_of(self.board.profiles[number], self.board.places[number].start)
        return tuple(unit for unit in range(self.board.geometry.memory_units or 0) if not covered >> unit & 1)

    def _lying_at(self, taken: Bits, profile: Profile, start: int) -> tuple[Holder, ...]:
        wanted = mask_of(profile, start)
        found: list[Holder] = []
        for number in numbers(taken):
            place, owner = self.board.places[number], self.board.profiles[number]
            if wanted & mask_of(owner, place.start):
                found.append(Holder(place, units_of(owner, place.start)))
        return tuple(found)

    def _moves(self, taken: Bits, wanted: tuple[Profile, ...]) -> tuple[Move, ...]:
        """The fewest existing instances to move, and where to, so that all the wanted ones fit."""
        existing = tuple(numbers(taken))
        held = tuple(self.board.profiles[number] for number in existing)
        if not self.possible(0, tuple(sorted((*held, *wanted), key=_largest_first))):
            return ()
        subsets = (moving for count in range(1, len(existing) + 1) for moving in combinations(existing, count))
        return next(moves for moving in subsets if (moves := self._moves_of(taken, wanted, moving)))

    def _moves_of(self, taken: Bits, wanted: tuple[Profile, ...], moving: tuple[int, ...]) -> tuple[Move, ...]:
        staying = taken & ~sum(1 << number for number in moving)
        moved = tuple(sorted((self.board.profiles[number] for number in moving), key=_largest_first))
        for solution in self.solutions(staying, moved):
            if self.possible(staying | solution, wanted):
                return _paired([self.board.places[number] for number in moving], self.board.state(solution))
        return ()


def _lower(one: Bits, other: Bits) -> bool:
    """Whether the first place that only one of two sets has is the first one's."""
    differing = one ^ other
    return bool(one & differing & -differing)


def _paired(moving: Sequence[Placement], places: Sequence[Placement]) -> tuple[Move, ...]:
    """Match the moved instances with the new places of their profiles, in rising starts."""
    pairs = zip(sorted(moving, key=_by_profile), sorted(places, key=_by_profile), strict=True)
    return tuple(Move(old, new.start) for old, new in pairs if old.start != new.start)


def _by_profile(placement: Placement) -> tuple[str, int]:
    return (placement.profile, placement.start)
