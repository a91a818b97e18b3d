"""Packs demands bin by bin (Korf's bin completion): each bin gets as much as it holds before the next one is looked at.

That leaves nothing out. If a packing leaves room in a bin for a unit that it places in a later one, moving the unit
gives a packing as well; so only *full* bins need to be looked at. Of two units that are the same in this bin, the one
that could use less of the later bins goes first. Groups settle on a value when its first bin comes up.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.search.bits import union
from aliquot.allocation.search.counters import fits
from aliquot.allocation.search.demands import Counted, Demands, Region, added, without
from aliquot.allocation.search.room import Room, SpentError

NEVER = -1
"""The bin at which a group may begin that can't begin at all."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """Units of one kind, as the bin sees them that is being filled."""

    number: int
    count: int
    one: int
    """One of them, as a filling."""
    most: int
    later: int
    """The devices of later bins that may serve."""


@dataclass(slots=True)
class BinCompletion:
    """One position's bins. `visited` counts the states looked at; `effort` ends it."""

    demands: Demands
    rooms: Sequence[Room]
    """Per bin: what it can hold."""
    states: Sequence[int]
    """Bin -> a number that is equal for positions in which this bin and all later ones are in equal states."""
    left: Sequence[int]
    """Bin -> what is left of its counters, in fields that allow for sums."""
    guard: int
    """The guard bits of those fields."""
    regions: Sequence[Sequence[Region]]
    """Per attribute."""
    known: dict[tuple[int, Counted, Counted], bool]
    """Positions that were decided before."""
    effort: int
    sparing: bool = False
    """Tries few units of a kind before many. What one order finds at once may take the other one long."""
    visited: int = 0
    _starting: list[list[Region]] = field(default_factory=list["list[Region]"])
    """Bin -> the regions of which it's the first, large ones first."""
    _bins: dict[int, int] = field(default_factory=dict[int, int])
    _sums: dict[int, int] = field(default_factory=dict[int, int])
    _last: dict[int, int] = field(default_factory=dict[int, int])

    def __post_init__(self) -> None:
        """Sorts the regions by their first bins."""
        self._starting = [[] for _ in self.rooms]
        for region in sorted((each for regions in self.regions for each in regions), key=_width, reverse=True):
            self._starting[region.first].append(region)

    def packs(self, units: Counted, groups: Counted, at: int = 0) -> bool:
        """Says whether the bins from `at` on hold all units and groups.

        Raises:
            SpentError: it takes more states than it may look at.
        """
        if not units and not groups:
            return True
        if at == len(self.rooms):
            return False
        key = (self.states[at], units, groups)
        known = self.known.get(key)
        if known is None:
            self.visited += 1
            if self.visited > self.effort:
                raise SpentError
            known = self.known[key] = self._may_pack(units, groups, at) and any(
                self.packs(rest, later, at + 1)
                for some, later in self._settled(units, groups, at, self._starting[at])
                if all(self._last_of(group) > at for group, _ in later)  # the others begin in this bin, or never
                for rest in self._filled(some, later, at)
            )
        return known

    def _may_pack(self, units: Counted, groups: Counted, at: int) -> bool:
        """What is certain without trying: whether counters, values and the bins that alone may serve suffice."""
        least = self.demands.least
        forced: dict[int, int] = {}
        regions: dict[int, int] = {}
        total = 0
        for unit, count in units:
            bins = self._bins_of(unit) & -1 << at
            if not bins:
                return False
            if bins & (bins - 1) == 0:
                place = bins.bit_length() - 1
                forced[place] = forced.get(place, 0) + self._one(unit, place) * count
            regions[bins] = regions.get(bins, 0) + least[unit] * count
            total += least[unit] * count
        for place, filling in forced.items():
            if not self.rooms[place].holds(filling):
                return False
        for group, count in groups:
            if self._last_of(group) < at:
                return False
            for unit, each, _ in self.demands.groups[group][0]:
                total += least[unit] * each * count
        if self._exceeds(total, (1 << len(self.rooms)) - (1 << at)):
            return False
        return len(regions) < 2 or not any(
            self._exceeds(sum(taken for bins, taken in regions.items() if bins & ~region == 0), region)
            for region in regions
        )

    def _exceeds(self, taken: int, bins: int) -> bool:
        """Whether the bins together have too little left of some counter."""
        have = self._sums.get(bins)
        if have is None:
            have = self._sums[bins] = sum(left for place, left in enumerate(self.left) if bins >> place & 1)
        return not fits(taken, have, self.guard)

    def _bins_of(self, unit: int) -> int:
        """The bins that can hold the unit when they're as empty as they get."""
        bins = self._bins.get(unit)
        if bins is None:
            bins = self._bins[unit] = sum(
                1 << place
                for place, classes in enumerate(self.demands.classes[unit])
                if classes and self._one(unit, place)
            )
        return bins

    def _one(self, unit: int, place: int) -> int:
        return self.rooms[place].filling(self.demands.classes[unit][place])

    def _last_of(self, group: int) -> int:
        """The last bin at which the group may still begin: later ones don't have enough values."""
        last = self._last.get(group)
        if last is None:
            demands = self.demands
            members, ties = demands.groups[group]
            last = len(self.rooms)
            for place, (attribute, match) in enumerate(ties):
                tied = [(unit, count) for unit, count, under in members if place in under]
                able = all if match else any
                firsts = sorted(
                    region.first
                    for region in self.regions[attribute]
                    if able(self._bins_of(demands.unit(demands.serves[unit] & region.devices)) for unit, _ in tied)
                )
                values = 1 if match else sum(count for _, count in tied)
                last = min(last, firsts[-values] if len(firsts) >= values else NEVER)
            self._last[group] = last
        return last

    def _settled(
        self, units: Counted, groups: Counted, at: int, regions: Sequence[Region]
    ) -> Iterator[tuple[Counted, Counted]]:
        """The ways in which groups may take the values that begin at a bin; as many groups as can be first."""
        if not regions or not groups:
            yield units, groups
            return
        choices = [
            (group, count, units_after, groups_after)
            for group, count in groups
            for units_after, groups_after in (
                (each.units, each.groups) for each in self.demands.settled(group, regions[0])
            )
            if all(self._bins_of(unit) for unit, _ in units_after)
        ]
        for some, later in self._chosen(units, groups, at, choices):
            yield from self._settled(some, later, at, regions[1:])

    def _chosen(
        self, units: Counted, groups: Counted, at: int, choices: Sequence[tuple[int, int, Counted, Counted]]
    ) -> Iterator[tuple[Counted, Counted]]:
        if not choices:
            yield units, groups
            return
        group, count, units_after, groups_after = choices[0]
        options = [(units, groups)]
        for _ in range(min(count, dict(groups).get(group, 0))):
            some, later = options[-1]
            some, later = added(some, units_after), added(without(later, group), groups_after)
            if not self._may_pack(some, later, at):
                break
            options.append((some, later))
        for some, later in reversed(options):
            yield from self._chosen(some, later, at, choices[1:])

    def _filled(self, units: Counted, groups: Counted, at: int) -> Iterator[Counted]:
        """What is left of the units after each way to fill a bin."""
        room = self.rooms[at]
        later_devices = union(bits for classes in self.demands.bins[at + 1 :] for bits in classes)
        here: list[_Unit] = []
        for unit, count in units:
            if self._bins_of(unit) >> at & 1:
                one = self._one(unit, at)
                later = self.demands.serves[unit] & later_devices
                if not self._bins_of(unit) >> (at + 1):
                    later = 0
                here.append(_Unit(unit, count, one, room.most(0, one, count), later))
        here.sort(key=lambda each: (bool(each.later), each.most, each.later.bit_count(), each.number))
        together = self._together(groups, at) if here else []
        counts = dict(units)
        for taken, filling in _fillings(room, here, [], 0, sparing=self.sparing):
            if any(room.holds(filling + one) for one in together):
                continue
            rest = counts.copy()
            for each, number in zip(here, taken, strict=True):
                rest[each.number] -= number
            yield tuple(sorted((unit, count) for unit, count in rest.items() if count))

    def _together(self, groups: Counted, at: int) -> list[int]:
        """Groups that could settle in this bin alone, as fillings: a bin that has room for one isn't full."""
        found: list[int] = []
        for group, _ in groups:
            ties = self.demands.groups[group][1]
            if len(ties) == 1 and ties[0][1]:
                alone = [each for each in self._starting[at] if each.attribute == ties[0][0] and each.bins == 1 << at]
                settled = [each.units for region in alone for each in self.demands.settled(group, region)]
                found += [
                    sum(self._one(unit, at) * count for unit, count in units)
                    for units in settled
                    if all(self._bins_of(unit) for unit, _ in units)
                ]
        return found


def _fillings(
    room: Room, units: Sequence[_Unit], taken: list[int], filling: int, *, sparing: bool
) -> Iterator[tuple[list[int], int]]:
    """How many to take of each of the units so that the bin is full."""
    if len(taken) == len(units):
        if not any(
            each.later and number < each.count and room.holds(filling + each.one)
            for each, number in zip(units, taken, strict=True)
        ):
            yield taken, filling
        return
    each = units[len(taken)]
    if each.later:
        waiting = any(
            other.one == each.one and number < other.count and other.later & ~each.later == 0
            for other, number in zip(units, taken, strict=False)
        )
        most = 0 if waiting else room.most(filling, each.one, each.count)
        numbers: Sequence[int] = range(most + 1) if sparing else range(most, -1, -1)
    else:
        numbers = (each.count,) if room.holds(filling + each.one * each.count) else ()
    for number in numbers:
        yield from _fillings(room, units, [*taken, number], filling + each.one * number, sparing=sparing)


def _width(region: Region) -> int:
    return region.bins.bit_count()
