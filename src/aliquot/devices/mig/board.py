"""A geometry compiled to bit masks, so that questions about one GPU are a few integer operations.

A place is a profile at one of its starts; each has a bit, and a state of the GPU is the places taken. Two places
conflict when their memory overlaps, when both want the media extension, or when their profile may exist only once.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from aliquot.devices.mig.geometry import Geometry, Profile
from aliquot.devices.mig.legal_layouts import Placement, compute_units, mask_of, profile_in

Bits = int
"""A set of places, one bit each, in the order of `Board.places`."""


class Board:
    """The places of one geometry, and which of them exclude each other.

    Places are in rising order of their starts, the largest profile first among equal starts.
    """

    def __init__(self, geometry: Geometry, profiles: Sequence[Profile] | None = None) -> None:
        """Compile the places of some profiles, of all if none are named.

        Raises:
            ValueError: where instances may lie isn't known for this geometry.
        """
        chosen = tuple(geometry.profiles if profiles is None else profiles)
        pairs = sorted(((s, profile_in(geometry, p.name)) for p in chosen for s in p.starts), key=_order)
        self.geometry = geometry
        self.profiles = tuple(profile for _, profile in pairs)
        """The profile of each place."""
        self.named = {profile.name: profile for profile in chosen}
        self.places = tuple(Placement(start, profile.name) for start, profile in pairs)
        self._index = {place: number for number, place in enumerate(self.places)}
        self._compute = tuple(profile.compute_slices for profile in self.profiles)
        self._conflicts = tuple(
            sum(1 << other for other, each in enumerate(pairs) if _exclude(pair, each)) for pair in pairs
        )
        self.of_profile = {p.name: self._named(p.name) for p in chosen}
        """The places of each profile, by its name."""
        self.plain = sum(self.of_profile[p.name] for p in chosen if p.plain)
        """The places of the profiles without variants."""
        units = compute_units(geometry)
        self._fitting = tuple(
            sum(1 << number for number, size in enumerate(self._compute) if size <= free) for free in range(units + 1)
        )
        """By free compute slices: the places that need no more."""
        self._starts: dict[Bits, tuple[int, ...]] = {}
        self._capped = tuple(
            (self.of_profile[p.name], p.max_instances) for p in chosen if 1 < p.max_instances < len(p.starts)
        )

    def _named(self, name: str) -> Bits:
        return sum(1 << number for number, place in enumerate(self.places) if place.profile == name)

    def bits(self, state: Iterable[Placement]) -> Bits:
        """The bits of placements by this geometry's own profile names.

        Raises:
            KeyError: one isn't a place of this geometry.
        """
        index, taken = self._index, 0
        for place in state:
            taken |= 1 << index[place]
        return taken

    def state(self, bits: Bits) -> tuple[Placement, ...]:
        """The placements of bits, by start."""
        return tuple(self.places[number] for number in numbers(bits))

    def free(self, taken: Bits) -> Bits:
        """The places where one more instance may be created beside those of a legal state."""
        blocked, compute = taken, len(self._fitting) - 1
        left = taken
        while left:  # `numbers` written out: this is asked most
            low = left & -left
            number = low.bit_length() - 1
            blocked |= self._conflicts[number]
            compute -= self._compute[number]
            left ^= low
        free = self._fitting[compute] & ~blocked
        for places, most in self._capped:
            if (taken & places).bit_count() >= most:
                free &= ~places
        return free

    def starts(self, places: Bits) -> tuple[int, ...]:
        """The starts of some places of one profile; there are few such sets, so each is written out once."""
        found = self._starts.get(places)
        if found is None:
            found = self._starts[places] = tuple(self.places[number].start for number in numbers(places))
        return found

    def conflicting(self, taken: Bits, place: int) -> Bits:
        """Those taken places that exclude a place (by its number), compute slices aside."""
        return taken & self._conflicts[place]

    def compute_free(self, taken: Bits) -> int:
        """The compute slices that a state leaves."""
        return len(self._fitting) - 1 - sum(self._compute[number] for number in numbers(taken))


@lru_cache(maxsize=64)
def board_of(geometry: Geometry) -> Board:
    """The board of all profiles of a geometry.

    Raises:
        ValueError: where instances may lie isn't known for this geometry.
    """
    return Board(geometry)


def numbers(bits: Bits) -> Iterator[int]:
    """The numbers of the bits that are set, rising."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def _order(pair: tuple[int, Profile]) -> tuple[int, int, int, str]:
    start, profile = pair
    return (start, -(profile.memory_slices or 0), -profile.compute_slices, profile.name)


def _exclude(one: tuple[int, Profile], other: tuple[int, Profile]) -> bool:
    (start, profile), (other_start, other_profile) = one, other
    return (
        bool(mask_of(profile, start) & mask_of(other_profile, other_start))
        or (profile.takes_media_extension and other_profile.takes_media_extension)
        or (profile is other_profile and profile.max_instances == 1)
    )
