"""What is to be packed, in numbers that stay the same over all positions of a question.

A *unit* is one device out of a set. A *group* is units that constraints tie together. Once a constraint of a group has
settled on a value, its units are narrowed to the devices that have it; a group without open constraints is just units.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

Counted = tuple[tuple[int, int], ...]
"""(number of a unit or group, how often), sorted."""
Member = tuple[int, int, tuple[int, ...]]
"""Unit, how many, the places of the constraints that it's under."""
Tie = tuple[int, bool]
"""A constraint that is open: its attribute's place; it's a match constraint (else the values must differ)."""
Group = tuple[tuple[Member, ...], tuple[Tie, ...]]
"""Members; constraints."""


@dataclass(frozen=True, slots=True)
class Region:
    """The devices with one value of an attribute."""

    attribute: int
    devices: int
    bins: int
    """The bins that have such devices, as bits."""

    @property
    def first(self) -> int:
        """The first of the bins."""
        return (self.bins & -self.bins).bit_length() - 1


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of a group in which constraints have settled on a value."""

    units: Counted
    groups: Counted


@dataclass(slots=True)
class Demands:
    """Numbers units and groups, for one question."""

    bins: Sequence[Sequence[int]]
    """Per bin: its classes, as devices."""
    least_of: Callable[[int], int]
    """A set of devices -> the least that one of them takes of the counters of all bins together, packed."""
    serves: list[int] = field(default_factory=list[int])
    """Unit -> the devices that may serve."""
    least: list[int] = field(default_factory=list[int])
    """Unit -> the least that it takes."""
    classes: list[list[int]] = field(default_factory=list["list[int]"])
    """Unit -> bin -> the bin's classes that may serve, as bits."""
    groups: list[Group] = field(default_factory=list[Group])
    _units: dict[int, int] = field(default_factory=dict[int, int])
    _numbers: dict[Group, int] = field(default_factory=dict[Group, int])
    _settled: dict[tuple[int, int, int], tuple[Settled, ...]] = field(
        default_factory=dict[tuple[int, int, int], "tuple[Settled, ...]"]
    )

    def unit(self, serves: int) -> int:
        """The number of a unit."""
        number = self._units.get(serves)
        if number is None:
            number = self._units[serves] = len(self.serves)
            self.serves.append(serves)
            self.least.append(self.least_of(serves))
            self.classes.append(
                [sum(1 << place for place, each in enumerate(classes) if each & serves) for classes in self.bins]
            )
        return number

    def group(self, members: Sequence[Member], ties: Sequence[Tie]) -> int:
        """The number of a group."""
        group = (tuple(sorted(members)), tuple(ties))
        number = self._numbers.get(group)
        if number is None:
            number = self._numbers[group] = len(self.groups)
            self.groups.append(group)
        return number

    def settled(self, number: int, region: Region) -> Sequence[Settled]:
        """All that may become of a group if some of its constraints take a region's value."""
        key = (number, region.attribute, region.devices)
        known = self._settled.get(key)
        if known is None:
            members, ties = self.groups[number]
            places = [place for place, (attribute, _) in enumerate(ties) if attribute == region.attribute]
            ways = list(self._ways(members, ties, region.devices, places))[1:] if places else []
            known = self._settled[key] = tuple(dict.fromkeys(self._apart(members, ties) for members in ways))
        return known

    def _ways(
        self, members: tuple[Member, ...], ties: tuple[Tie, ...], devices: int, places: Sequence[int]
    ) -> Iterator[tuple[Member, ...]]:
        """The members after each choice; the first choice is to leave all as it is."""
        if not places:
            yield members
            return
        *others, place = places
        yield from self._ways(members, ties, devices, others)
        if ties[place][1]:
            narrowed = tuple(
                (self.unit(self.serves[unit] & devices), count, _less(under, place))
                if place in under
                else (unit, count, under)
                for unit, count, under in members
            )
            yield from self._ways(narrowed, ties, devices, others)
            return
        for at, (unit, count, under) in enumerate(members):
            if place in under:
                one = (self.unit(self.serves[unit] & devices), 1, _less(under, place))
                rest = ((unit, count - 1, under),) if count > 1 else ()
                yield from self._ways((*members[:at], *rest, one, *members[at + 1 :]), ties, devices, others)

    def _apart(self, members: Sequence[Member], ties: Sequence[Tie]) -> Settled:
        """Members as units and groups, each group with the constraints that tie it."""
        units = _counted((unit, count) for unit, count, under in members if not under)
        linked: list[tuple[set[int], list[Member]]] = []
        for member in members:
            if member[2]:
                places, joined = set(member[2]), [member]
                apart = [each for each in linked if not each[0] & places]
                for other_places, others in (each for each in linked if each[0] & places):
                    places |= other_places
                    joined += others
                linked = [*apart, (places, joined)]
        groups: list[tuple[int, int]] = []
        for places, joined in linked:
            order = sorted(places, key=lambda place: (ties[place], place))
            told = [(unit, count, tuple(sorted(map(order.index, under)))) for unit, count, under in joined]
            groups.append((self.group(told, [ties[place] for place in order]), 1))
        return Settled(units, _counted(groups))

    def split(self, members: Sequence[Member], ties: Sequence[Tie]) -> Settled:
        """Numbers any members: those without constraints as units, the others as groups."""
        return self._apart(members, ties)


def _less(places: tuple[int, ...], place: int) -> tuple[int, ...]:
    return tuple(other for other in places if other != place)


def _counted(pairs: "Iterator[tuple[int, int]] | list[tuple[int, int]]") -> Counted:
    counts: dict[int, int] = {}
    for number, count in pairs:
        counts[number] = counts.get(number, 0) + count
    return tuple(sorted(counts.items()))


def added(one: Counted, other: Counted) -> Counted:
    """Both together."""
    return _counted(list(chain(one, other))) if other else one


def without(counted: Counted, number: int) -> Counted:
    """One less of a number."""
    return tuple((each, count - (each == number)) for each, count in counted if each != number or count > 1)
