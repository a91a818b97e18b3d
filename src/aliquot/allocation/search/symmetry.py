"""Which devices are interchangeable, and when two positions of a search are the same but for names.

*Class*: devices that every alternative treats alike, with the same values of all constrained attributes, the same
counters and the same consumption. Swapping two of them maps solutions to solutions.

*Component*: classes linked by counters or by a value of a constrained attribute. Components don't interact, and those
of equal shape (two GPUs with their partitions, two PCIe roots) are interchangeable as a whole. So a position is told
by the multiset of its components' states; `Symmetry.key` numbers those.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.bits import members, union
from aliquot.allocation.search.position import Position
from aliquot.allocation.search.question import Part, Question

Key = tuple[object, ...]
Label = tuple[int, ...]
Tag = tuple[Label, int, int]
"""A settled constraint that may change places: its label, the place of its attribute, its value."""
State = tuple[tuple[int, ...], tuple[Tag, ...]]
"""Free devices, those that the claim has, what is left of counters, values; and tags."""
NO_LABELS: Final[Mapping[int, Label]] = MappingProxyType({})


@dataclass(slots=True)
class Component:
    """Linked classes. `shape` is equal for components that differ in names only."""

    bits: int
    classes: tuple[int, ...]
    counters: tuple[int, ...]
    atoms: tuple[tuple[bool, int, int, tuple[int, ...]], ...]
    """(it's a match constraint, its number, the component's atoms as a mask, the same in local order)."""
    shape: int
    states: dict[State, int] = field(default_factory=dict["State", int])
    """State by its names -> number of the state up to names."""


class Symmetry:
    """Classes and components of a question."""

    def __init__(self, question: Question, named: int = 0) -> None:
        """`named`: devices that are like no other, because an error depends on their places."""
        self.question = question
        self.parts = [part for step in question.steps for part in step]
        self.admin = any(part.admin for part in self.parts)
        self.relevant = union(_touched(part) for part in self.parts)
        self.named = named | question.shareable
        """Devices that are interchangeable with no other."""
        self.later = _later(question)
        """Step -> devices that it or a later one may use."""
        self.active = _active(question)
        """Step -> (match, distinct) constraints that it or a later one is under."""
        self.classes = self._classes()
        self.class_of: dict[int, int] = {}
        for bits in self.classes:
            for device in members(bits):
                self.class_of[device] = bits
        self.components = self._components()
        self._canonical: dict[Key, int] = {}

    def interchangeable(self, position: Position, device: int) -> int:
        """The devices that may be swapped with this one in a position (itself included)."""
        alike = self.class_of[device]
        return alike & (position.free if position.free >> device & 1 else ~position.free) if self.admin else alike

    def key(self, position: Position, step: int, extra: object) -> Key:
        """The position up to names, for what remains from `step` on. Equal keys: the same future."""
        match, distinct = self.active[step]
        return self.key_for(position, self.later[step], match, distinct, (step, extra))

    def key_for(
        self,
        position: Position,
        relevant: int,
        match: int,
        distinct: int,
        needs: object,
        labels: Mapping[int, Label] = NO_LABELS,
    ) -> Key:
        """The position up to names, for needs that only concern some devices and constraints.

        Args:
            position: the position.
            relevant: the devices that the needs may still use.
            match: the match constraints that they are under, as bits.
            distinct: the distinct constraints likewise.
            needs: what tells the needs themselves.
            labels: settled match constraints that may change places with others of the same label.
        """
        question = self.question
        free = position.free & relevant
        states: list[int] = []
        for component in self.components:
            mine = free & component.bits
            raw = [mine, position.mine & component.bits if self.admin else 0]
            for number in component.counters:
                counters = question.counters[number]
                residual = position.residual[number]
                fits = mine & counters.devices & counters.fit(residual)
                raw.append(residual if fits or mine & counters.devices & question.shareable else -1)
            tags: list[Tag] = []
            for place, (is_match, number, mask, _) in enumerate(component.atoms):
                if is_match and number in labels:
                    raw.append(0)
                    if position.value[number] & mask:
                        tags.append((labels[number], place, position.value[number] & mask))
                elif is_match:
                    value = position.value[number] if match >> number & 1 else UNSET
                    raw.append(0 if value == UNSET else value & mask)
                else:
                    raw.append(position.used[number] & mask if distinct >> number & 1 else 0)
            if tags:
                tags.sort()
            state = (tuple(raw), tuple(tags))
            known = component.states.get(state)
            states.append(self._state(component, state) if known is None else known)
        states.sort()
        settled = 0
        for number, value in enumerate(position.value):
            if value != UNSET and match >> number & 1 and number not in labels:
                settled |= 1 << number
        shared: Key = ()
        if question.shareable & free:
            shared = (position.paid, *(position.left[device] for device in sorted(position.left)))
        return (needs, settled, shared, *states)

    def _state(self, component: Component, state: State) -> int:
        raw, tags = state
        atoms_from = 2 + len(component.counters)
        told: list[object] = [component.shape]
        for devices in raw[:2]:
            told.extend((devices & bits).bit_count() for bits in component.classes)
        told.extend(raw[2:atoms_from])
        for (_, _, _, order), atoms in zip(component.atoms, raw[atoms_from:], strict=True):
            told.append(_local(order, atoms))
        told.append(tuple(sorted((label, _local(component.atoms[place][3], atoms)) for label, place, atoms in tags)))
        number = self._canonical.setdefault(tuple(told), len(self._canonical))
        component.states[state] = number
        return number

    def _membership(self, device: int) -> Key:
        """What the parts make of a device."""
        bit = 1 << device
        return tuple(
            (place, bool(part.bits & bit), bool(part.error_bits & bit))
            for place, part in enumerate(self.parts)
            if _touched(part) & bit
        )

    def _signature(self, device: int) -> Key:
        question = self.question
        return (
            self._membership(device),
            question.counters_of[device],
            question.use(device),
            tuple(values.atoms[device] for values in question.match),
            tuple(values.atoms[device] for values in question.distinct),
        )

    def _classes(self) -> list[int]:
        groups: dict[Key, int] = {}
        single: list[int] = []
        for device in members(self.relevant):
            bit = 1 << device
            if self.named & bit:
                single.append(bit)
            else:
                signature = self._signature(device)
                groups[signature] = groups.get(signature, 0) | bit
        return sorted([*groups.values(), *single], key=lambda bits: bits & -bits)

    def _components(self) -> list[Component]:
        question = self.question
        shapes: dict[Key, int] = {}
        result: list[Component] = []
        for group in self._linked():
            bits = union(group)
            counters: list[int] = []
            orders: list[dict[int, int]] = [{} for _ in (*question.match, *question.distinct)]
            attributes = (*question.match, *question.distinct)
            told: list[object] = []
            for each in group:
                device = (each & -each).bit_length() - 1
                drawn = question.counters_of[device]
                if drawn >= 0 and drawn not in counters:
                    counters.append(drawn)
                local: list[tuple[int, ...]] = []
                for order, values in zip(orders, attributes, strict=True):
                    atoms = list(members(values.atoms[device]))
                    for atom in atoms:
                        order.setdefault(atom, len(order))
                    local.append(tuple(sorted(order[atom] for atom in atoms)))
                told.append(
                    (
                        self._membership(device),
                        counters.index(drawn) if drawn in counters else -1,
                        question.use(device),
                        each.bit_count(),
                        *local,
                    )
                )
            told.extend(question.counters[place].guard for place in counters)
            told.append(bits if bits & self.named else -1)
            shape = shapes.setdefault(tuple(told), len(shapes))
            atoms_of: list[tuple[bool, int, int, tuple[int, ...]]] = []
            for place, order in enumerate(orders):
                if order:
                    is_match = place < len(question.match)
                    number = place if is_match else place - len(question.match)
                    atoms_of.append((is_match, number, sum(1 << atom for atom in order), tuple(order)))
            result.append(
                Component(bits=bits, classes=tuple(group), counters=tuple(counters), atoms=tuple(atoms_of), shape=shape)
            )
        return result

    def _linked(self) -> list[list[int]]:
        """The classes, grouped by what links them."""
        question = self.question
        owner: dict[object, int] = {}
        parent = list(range(len(self.classes)))

        def root(place: int) -> int:
            while parent[place] != place:
                parent[place] = parent[parent[place]]
                place = parent[place]
            return place

        for place, bits in enumerate(self.classes):
            device = (bits & -bits).bit_length() - 1
            links: list[object] = []
            if question.counters_of[device] >= 0:
                links.append(question.counters_of[device])
            for values in (*question.match, *question.distinct):
                links.extend((id(values), atom) for atom in members(values.atoms[device]))
            for link in links:
                first = owner.setdefault(link, place)
                oldest, root_here = sorted((root(first), root(place)))
                parent[root_here] = oldest
        groups: dict[int, list[int]] = {}
        for place, bits in enumerate(self.classes):
            groups.setdefault(root(place), []).append(bits)
        return list(groups.values())


def _touched(part: Part) -> int:
    """The devices that matter to a part: those it may take, and those at which it may stop."""
    return part.bits | part.error_bits | (part.every if part.order else 0)


def _local(order: Sequence[int], atoms: int) -> tuple[int, ...]:
    """Atoms by their places in a component."""
    return tuple(place for place, atom in enumerate(order) if atoms >> atom & 1)


def _later(question: Question) -> list[int]:
    result = [0]
    for step in reversed(question.steps):
        result.append(result[-1] | union(_touched(part) for part in step))
    return result[::-1]


def _active(question: Question) -> list[tuple[int, int]]:
    result = [(0, 0)]
    for step in reversed(question.steps):
        match, distinct = result[-1]
        for part in step:
            match |= sum(1 << number for number in part.match)
            distinct |= sum(1 << number for number in part.distinct)
        result.append((match, distinct))
    return result[::-1]
