"""Can the remaining needs be met at all? Free to choose its own order, it goes for the scarcest need first.

It guides the search that must keep the reference's order: a device is accepted only if the rest isn't refuted. Its "no"
is exact; when its budget ends, it says "maybe". It leaves out admin access, the limit of devices per claim, and that a
request can't take two shares of one device: that only makes it say "yes" too often.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.bits import union
from aliquot.allocation.search.bounds import Need, refuted
from aliquot.allocation.search.matching import matched
from aliquot.allocation.search.position import Position
from aliquot.allocation.search.question import Part, Question
from aliquot.allocation.search.symmetry import Key, Label, Symmetry

DEEPEST: Final = 300
"""Most devices to be placed: each is a level of recursion."""

Item = tuple[int, int, int]
"""Step, alternative (-1: not chosen yet), how many devices it still needs."""


class _Spent(Exception):  # noqa: N818 - it never leaves this module
    """The budget has ended."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What some items may use, and the constraints that they're under."""

    relevant: int
    match: int
    distinct: int


@dataclass(slots=True)
class Feasibility:
    """Remembers, over all calls for one question, which positions can be completed and which can't."""

    question: Question
    symmetry: Symmetry
    able: Sequence[tuple[int, ...]]
    """Per step: the alternatives worth trying."""
    until: Sequence[int]
    """Step -> the step up to which it may look ahead."""
    visited: int = 0
    """Positions looked at, over all calls."""
    _good: set[Key] = field(default_factory=set[Key])
    _dead: set[Key] = field(default_factory=set[Key])
    _limit: int = 0
    _scopes: dict[tuple[Item, ...], _Scope] = field(default_factory=dict[tuple[Item, ...], _Scope])
    _shapes: list[int] = field(default_factory=list[int])
    """Per step: equal for requests that ask for the same, constraints apart."""
    _attributes: list[int] = field(default_factory=list[int])
    """Per match constraint: equal for constraints on one attribute."""
    _names: dict[tuple[tuple[Item, ...], int], tuple[Key, Mapping[int, Label]]] = field(
        default_factory=dict[tuple[tuple[Item, ...], int], "tuple[Key, Mapping[int, Label]]"]
    )
    _special: int = 0
    """Devices that consume counters or can be shared."""

    def __post_init__(self) -> None:
        """Compares the requests."""
        shapes: dict[object, int] = {}
        for step in self.question.steps:
            shape = tuple((part.bits, part.need, bool(part.order), tuple(part.consumes.items())) for part in step)
            self._shapes.append(shapes.setdefault(shape, len(shapes)))
        seen: dict[int, int] = {}
        self._attributes = [seen.setdefault(id(values), len(seen)) for values in self.question.match]
        self._special = self.question.drawing() | self.question.shareable

    def possible(self, position: Position, step: int, alternative: int, left: int, budget: int) -> bool | None:
        """Says whether a position can be completed; None: it can't tell within the budget.

        Args:
            position: the position; it's the same afterwards.
            step: the request under way.
            alternative: the alternative that it's served by.
            left: how many devices it still needs.
            budget: how many positions may be looked at.
        """
        part = self.question.steps[step][alternative]
        items: list[Item] = [(step, alternative, left)] if left and not part.admin else []
        depth = left
        for place in range(step + 1, self.until[step]):
            parts = self.question.steps[place]
            able = self.able[place]
            if not able:
                return False
            if parts[0].admin:
                continue
            depth += max(parts[number].need for number in able)
            items.append((place, able[0], parts[able[0]].need) if len(able) == 1 else (place, -1, 0))
        if depth > DEEPEST:
            return None
        self._limit = self.visited + budget
        saved = position.save()
        try:
            return self._solve(position, tuple(item for item in items if item[1] < 0 or item[2]))
        except _Spent:
            return None
        finally:
            position.restore(saved)

    def _solve(self, position: Position, items: tuple[Item, ...]) -> bool:
        if not items:
            return True
        scope = self._scopes.get(items) or self._scope(items)
        told, labels = self._told(position, items)
        key = self.symmetry.key_for(position, scope.relevant, scope.match, scope.distinct, told, labels)
        if key in self._dead:
            return False
        if key in self._good:
            return True
        self.visited += 1
        if self.visited > self._limit:
            raise _Spent
        needs = [
            Need([self.question.steps[step][number] for number in self.able[step]], 0, [])
            if alternative < 0
            else Need((self.question.steps[step][alternative],), left, [])
            for step, alternative, left in items
        ]
        solved = not refuted(self.question, position, needs) and self._branch(position, items, needs)
        (self._good if solved else self._dead).add(key)
        return solved

    def _told(self, position: Position, items: tuple[Item, ...]) -> tuple[Key, Mapping[int, Label]]:
        """The items up to names: what is asked for, and by which constraints it's tied to what else.

        A match constraint whose members are under no other is told by its members: two claims that each want a GPU and
        a NIC on one PCIe root are the same. If it has a value, its members label that value.
        """
        settled = sum(1 << number for number, value in enumerate(position.value) if value != UNSET)
        known = self._names.get((items, settled))
        if known is not None:
            return known
        ties = [self._ties(item) for item in items]
        complicated = {tie for each in ties for tie in each if len(each) > 1 or tie[0] == "distinct"}
        told: list[tuple[int, ...]] = []
        groups: dict[int, list[tuple[int, int, int]]] = {}
        for (step, alternative, left), each in zip(items, ties, strict=True):
            shape = (self._shapes[step], alternative, left)
            if not each:
                told.append((0, *shape))
            elif complicated.isdisjoint(each):
                groups.setdefault(each[0][1], []).append(shape)
            else:
                told.append((1, *shape, step))
        labels: dict[int, Label] = {}
        for number, members in groups.items():
            members.sort()
            label = (2, self._attributes[number], *(part for member in members for part in member))
            if settled >> number & 1:
                labels[number] = label
            else:
                told.append(label)
        told.sort()
        result = self._names[items, settled] = (tuple(told), labels)
        return result

    def _ties(self, item: Item) -> Sequence[tuple[str, int]]:
        """The constraints that an item is under."""
        step, alternative, _ = item
        parts = self.question.steps[step] if alternative < 0 else (self.question.steps[step][alternative],)
        return parts[0].order if len(parts) == 1 else sorted({tie for part in parts for tie in part.order})

    def _plain(self, position: Position, need: Need) -> bool:
        """Whether a resolved need is for exclusive devices without counters, and not coupled to others any more."""
        part = need.parts[0]
        return (
            not part.distinct
            and not need.sets[0] & self._special
            and all(position.value[number] > 0 and _single(position.value[number]) for number in part.match)
        )

    def _branch(self, position: Position, items: tuple[Item, ...], needs: Sequence[Need]) -> bool:
        """Coupled needs get a device, then choices are made; what is left is a matching."""
        coupled = [
            index for index, item in enumerate(items) if item[1] >= 0 and not self._plain(position, needs[index])
        ]
        places = coupled or [index for index, item in enumerate(items) if item[1] < 0]
        if not places:
            return matched([(need.sets[0], need.least) for need in needs])
        place = min(places, key=lambda index: _slack(items[index], needs[index]))
        step, alternative, left = items[place]
        others = items[:place] + items[place + 1 :]
        if alternative < 0:
            parts = self.question.steps[step]
            for number in sorted(self.able[step], key=lambda index: parts[index].need):
                part = parts[number]
                item: tuple[Item, ...] = ((step, number, part.need),) if part.need else ()
                if self._solve(position, tuple(sorted(others + item))):
                    return True
            return False
        part = self.question.steps[step][alternative]
        rest: tuple[Item, ...] = ((step, alternative, left - 1),) if left > 1 else ()
        following = tuple(sorted(others + rest))
        saved = position.save()
        for device in self._ordered(position, needs[place].sets[0], needs, place):
            position.take(part, device)
            if self._solve(position, following):
                return True
            position.restore(saved)
        return False

    def _ordered(self, position: Position, found: int, needs: Sequence[Need], place: int) -> list[int]:
        """One device of each class, those first that the fewest other needs could use."""
        devices: list[tuple[int, int]] = []
        while found:
            low = found & -found
            device = low.bit_length() - 1
            found &= ~self.symmetry.interchangeable(position, device)
            wanted = sum(
                1 for index, need in enumerate(needs) if index != place and any(bits & low for bits in need.sets)
            )
            devices.append((wanted, device))
        devices.sort()
        return [device for _, device in devices]

    def _scope(self, items: tuple[Item, ...]) -> _Scope:
        parts: list[Part] = []
        for step, alternative, _ in items:
            parts.extend(self.question.steps[step] if alternative < 0 else (self.question.steps[step][alternative],))
        scope = _Scope(
            union(part.bits for part in parts),
            union(1 << number for part in parts for number in part.match),
            union(1 << number for part in parts for number in part.distinct),
        )
        self._scopes[items] = scope
        return scope


def _slack(item: Item, need: Need) -> tuple[int, int]:
    """The fewest spare candidates first; requests with a choice of alternatives after those without."""
    if item[1] >= 0:
        return (need.sets[0].bit_count() - item[2], 0)
    widest = max(found.bit_count() for found in need.sets)
    return (widest - need.least, 1)


def _single(atoms: int) -> bool:
    return atoms & (atoms - 1) == 0
