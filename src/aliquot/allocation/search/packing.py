"""Can a node still hold what is wanted? Where devices draw on counters, adding up counters is too weak to tell.

Devices that draw on the same counters are a *bin* (a GPU with its partitions), and so is every class of devices that
draw on none. The remaining needs are units and groups (`demands`); `bin_completion` packs them. Needs that don't fit
this picture (shares, admin access, alternatives of several devices) are told by less than they are, or left out. So
"no" is exact; "yes" is said only if nothing is left out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.attribute_values import UNSET, Values
from aliquot.allocation.search.bin_completion import BinCompletion
from aliquot.allocation.search.bits import members, union
from aliquot.allocation.search.bounds import Need
from aliquot.allocation.search.demands import Counted, Demands, Member, Region, Tie
from aliquot.allocation.search.position import Position
from aliquot.allocation.search.question import Question
from aliquot.allocation.search.room import WIDTH, Room, SpentError
from aliquot.allocation.search.symmetry import Symmetry

TRIES: Final = ((300, False), (300, True), (4_400, False))
"""How many states one call may look at, in one order and the other. What is found dead stays dead."""
DEEPEST: Final = 200
"""Most bins: each is a level of recursion."""


@dataclass(frozen=True, slots=True)
class _Bin:
    """Devices that influence each other, whatever is taken elsewhere."""

    counters: int
    """-1: they draw on no counters, and are alike."""
    classes: tuple[int, ...]

    @property
    def devices(self) -> int:
        return union(self.classes)


@dataclass(slots=True)
class Packing:
    """The packings of one question. `visited` counts states, over all calls."""

    question: Question
    symmetry: Symmetry
    visited: int = 0
    _bins: list[_Bin] = field(default_factory=list[_Bin])
    _attributes: list[Values] = field(default_factory=list[Values])
    _regions: list[list[Region]] = field(default_factory=list["list[Region]"])
    _demands: Demands = field(init=False)
    _drawing: int = 0
    """Devices that draw on counters."""
    _rooms: dict[object, Room] = field(default_factory=dict[object, Room])
    _states: dict[tuple[int, int, int], int] = field(default_factory=dict[tuple[int, int, int], int])
    _known: dict[tuple[int, Counted, Counted], bool] = field(default_factory=dict[tuple[int, Counted, Counted], bool])

    def __post_init__(self) -> None:
        """Finds the bins, and puts those next to each other that share values."""
        question = self.question
        self._drawing = question.drawing()
        if not self._drawing:
            return
        found: dict[int, Values] = {id(values): values for values in (*question.match, *question.distinct)}
        self._attributes = list(found.values())
        self._bins = _ordered(_bins_of(question, self.symmetry.classes), self._attributes)
        for place, values in enumerate(self._attributes):
            regions = [
                Region(place, having, sum(1 << at for at, each in enumerate(self._bins) if each.devices & having))
                for having in values.bits
            ]
            self._regions.append([region for region in regions if region.bins])
        self._demands = Demands([each.classes for each in self._bins], self._least)

    def possible(self, position: Position, needs: Sequence[Need]) -> bool | None:
        """Says whether the needs can be met; None: it can't tell. `bounds.refuted` must have been asked before."""
        if not 1 < len(self._bins) <= DEEPEST:
            return None
        rows: list[tuple[int, int, list[tuple[bool, int]]]] = []
        complete = True
        for need in needs:
            if not need.least:
                continue
            part = need.parts[0]
            if part.admin or any(each.bits & self.question.shareable for each in need.parts):
                complete = False
                continue
            serves = part.bits if len(need.parts) == 1 else union(need.sets)
            open_: list[tuple[bool, int]] = []
            alike = all(each.order == part.order for each in need.parts)
            complete = complete and alike and (len(need.parts) == 1 or max(need.counts) == 1)
            if alike:
                for number in part.match:
                    if position.value[number] == UNSET:
                        open_.append((True, number))
                    else:
                        serves &= self.question.match[number].sharing(position.value[number])
                for number in part.distinct:
                    serves &= self.question.distinct[number].differing(position.used[number])
                    open_.append((False, number))
            rows.append((serves, need.least, open_))
        if not any(serves & self._drawing for serves, _, _ in rows):
            return None
        members, ties, simple = self._tied(rows)
        wanted = self._demands.split(members, ties)
        completion = self._completion(position)
        for effort, sparing in TRIES:
            completion.effort, completion.sparing = completion.visited + effort, sparing
            before = completion.visited
            try:
                return completion.packs(wanted.units, wanted.groups) and (True if complete and simple else None)
            except SpentError:
                continue
            finally:
                self.visited += completion.visited - before
        return None

    def _tied(
        self, rows: Sequence[tuple[int, int, Sequence[tuple[bool, int]]]]
    ) -> tuple[list[Member], list[Tie], bool]:
        """Members and open constraints; and whether all constraints are told."""
        question = self.question
        devices: dict[tuple[bool, int], int] = {}
        counts: dict[tuple[bool, int], int] = {}
        for serves, count, open_ in rows:
            for tie in open_:
                devices[tie] = devices.get(tie, 0) | serves
                counts[tie] = counts.get(tie, 0) + count
        places: dict[tuple[bool, int], int] = {}
        dropped: set[tuple[bool, int]] = set()
        ties: list[Tie] = []
        simple = True
        for (match, number), count in counts.items():
            values = (question.match if match else question.distinct)[number]
            if count == 1:
                dropped.add((match, number))
                continue
            if not match and not _plain(values, devices[match, number]):
                simple = False
                continue
            places[match, number] = len(ties)
            ties.append((next(at for at, each in enumerate(self._attributes) if each is values), match))
        members: list[Member] = []
        for serves, count, open_ in rows:
            narrowed = serves
            for match, number in dropped.intersection(open_):
                if match:
                    narrowed &= question.match[number].matchable
            members.append((self._demands.unit(narrowed), count, tuple(places[tie] for tie in open_ if tie in places)))
        return members, ties, simple

    def _completion(self, position: Position) -> BinCompletion:
        totals = self.question.totals
        assert totals is not None
        rooms = [self._room(position, each) for each in self._bins]
        states = [0] * len(rooms)
        state = 0
        for place in range(len(rooms) - 1, -1, -1):
            state = states[place] = self._states.setdefault((place, id(rooms[place]), state), len(self._states) + 1)
        return BinCompletion(
            demands=self._demands,
            rooms=rooms,
            states=states,
            left=[
                totals.left(each.counters, position.residual[each.counters]) if each.counters >= 0 else 0
                for each in self._bins
            ],
            guard=totals.guard,
            regions=self._regions,
            known=self._known,
            effort=0,
        )

    def _room(self, position: Position, each: _Bin) -> Room:
        """What a bin can hold; bins in equal states share it."""
        free = position.free
        uses = (0,) * len(each.classes)
        guard = residual = 0
        if each.counters >= 0:
            counters = self.question.counters[each.counters]
            residual, guard = position.residual[each.counters], counters.guard
            uses = tuple(counters.use[(bits & -bits).bit_length() - 1] for bits in each.classes)
            free &= counters.fit(residual)
        counts = sum((free & bits).bit_count() << place * WIDTH for place, bits in enumerate(each.classes))
        key = (uses, guard, counts, residual)
        room = self._rooms.get(key)
        if room is None:
            room = self._rooms[key] = Room(uses, guard, counts, residual)
        return room

    def _least(self, devices: int) -> int:
        totals = self.question.totals
        assert totals is not None
        return 0 if not devices or devices & totals.counterless else totals.least(devices)


def _bins_of(question: Question, classes: Iterable[int]) -> list[_Bin]:
    found: dict[int, list[int]] = {}
    for bits in classes:
        device = (bits & -bits).bit_length() - 1
        counters = question.counters_of[device]
        found.setdefault(counters if counters >= 0 else ~device, []).append(bits)
    return [_Bin(max(key, -1), tuple(classes)) for key, classes in found.items()]


def _ordered(bins: Iterable[_Bin], attributes: Iterable[Values]) -> list[_Bin]:
    """Bins with a common value of the coarsest attribute next to each other, and so on; those with counters first."""
    bins = list(bins)
    coarse = sorted(attributes, key=lambda values: -_coarseness(values, bins))

    def place(each: _Bin) -> tuple[list[int], bool, int]:
        devices = each.devices
        regions = [
            next((atom for atom, having in enumerate(values.bits) if having & devices), len(values.bits))
            for values in coarse
        ]
        return (regions, each.counters < 0, devices & -devices)

    return sorted(bins, key=place)


def _coarseness(values: Values, bins: Iterable[_Bin]) -> int:
    """In how many bins the most frequent value occurs."""
    bins = list(bins)
    return max((sum(bool(each.devices & having) for each in bins) for having in values.bits), default=0)


def _plain(values: Values, devices: int) -> bool:
    """Whether each of the devices that have the attribute has one value, which can be compared."""
    return devices & values.having & ~values.comparable == 0 and all(
        values.atoms[device].bit_count() < 2 for device in members(devices)
    )
