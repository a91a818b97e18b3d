"""How much of each kind of demand can a node still hold? A bound for partitions: there, counting counters is too weak.

Per component (a GPU with its partitions, and what hangs on its PCIe root) it takes the *frontier* (`frontier`): the
vectors of demands that the component can hold. If no sum of one vector per component covers all demands, the position
is dead. Demands that don't fit this picture are left out, so it only refutes what is impossible.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.bits import members, union
from aliquot.allocation.search.board import Board
from aliquot.allocation.search.bounds import Need
from aliquot.allocation.search.frontier import Alike, Frontier, Kind, Spent, Vector, largest
from aliquot.allocation.search.question import Question
from aliquot.allocation.search.symmetry import Symmetry

KINDS: Final = 7
"""Most kinds of demand; further ones are left out."""
EFFORT: Final = 1_500
"""States of components that one bound may look at."""
WIDEST: Final = 400
"""Most vectors of a sum of frontiers."""


@dataclass(frozen=True, slots=True)
class Component:
    """Classes of devices that share blocks or values of a fine attribute."""

    bits: int
    classes: tuple[int, ...]
    blocks: tuple[int, ...]
    atoms: tuple[tuple[tuple[int, ...], ...], ...]
    """Per class, per fine constraint: the values that its devices have, numbered within the component."""


@dataclass(slots=True)
class Packing:
    """The bound for one question. `visited` counts states, over all calls."""

    question: Question
    symmetry: Symmetry
    visited: int = 0
    _components: list[Component] = field(default_factory=list[Component])
    _fine: list[int] = field(default_factory=list[int])
    """Match constraints whose values each lie within one component."""
    _counting: int = 0
    """Devices that consume counters."""
    _frontiers: dict[object, list[Vector]] = field(default_factory=dict[object, "list[Vector]"])

    def __post_init__(self) -> None:
        """Finds the components."""
        question = self.question
        self._counting = union(block.devices for block in question.blocks)
        if not self._counting:
            return
        seen: set[int] = set()
        for number, values in enumerate(question.match):
            if id(values) not in seen and all(
                sum(bool(having & block.devices) for block in question.blocks) <= 1 for having in values.bits
            ):
                self._fine.append(number)
            seen.add(id(values))
        self._components = [self._component(bits) for bits in self._linked()]

    def refutes(self, board: Board, needs: Sequence[Need]) -> bool:
        """Says whether the needs certainly don't fit. `bounds.refuted` must have been asked before."""
        if len(self._components) < 2:
            return False
        drawing, others = self._demands(board, needs)
        if not drawing:
            return False
        return self._overfull(board, drawing) or (bool(others) and self._overfull(board, {**drawing, **others}))

    def _overfull(self, board: Board, demands: dict[Kind, int]) -> bool:
        kinds = list(demands)[:KINDS]
        wanted = tuple(demands[kind] for kind in kinds)
        limit = self.visited + EFFORT
        sums: list[Vector] = [(0,) * len(kinds)]
        try:
            for component in self._components:
                frontier = self._frontier(board, component, kinds, wanted, limit)
                sums = largest(
                    tuple(min(x + y, most) for x, y, most in zip(one, other, wanted, strict=True))
                    for one in sums
                    for other in frontier
                )
                if sums[0] == wanted or len(sums) > WIDEST:
                    return False
        except Spent:
            return False
        return True

    def _demands(self, board: Board, needs: Sequence[Need]) -> tuple[dict[Kind, int], dict[Kind, int]]:
        """Kinds of demand and how often each is wanted: those that draw on counters, and the others."""
        question = self.question
        groups: dict[int, list[tuple[int, int]]] = {}
        wanted: dict[Kind, int] = {}
        for need in needs:
            part = need.parts[0]
            if len(need.parts) > 1 or part.admin or not need.least:
                continue
            serves = part.bits
            loose: list[int] = []
            for number in part.match:
                if board.value[number] == UNSET:
                    loose.append(number)
                else:
                    serves &= question.match[number].sharing(board.value[number])
            if serves & question.shareable:
                continue
            fine = self._fine_of(loose[0]) if len(loose) == 1 else -1
            if fine >= 0:
                groups.setdefault(loose[0], []).append((serves, need.least))
            else:
                kind = Kind(((serves, 1),), -1)
                wanted[kind] = wanted.get(kind, 0) + need.least
        for number, group in groups.items():
            kind = Kind(tuple(sorted(group)), self._fine_of(number))
            wanted[kind] = wanted.get(kind, 0) + 1
        drawing = {
            kind: count for kind, count in wanted.items() if any(bits & self._counting for bits, _ in kind.members)
        }
        return drawing, {kind: count for kind, count in wanted.items() if kind not in drawing}

    def _fine_of(self, number: int) -> int:
        """The place of a constraint's attribute among the fine ones; -1: it's coarse."""
        values = self.question.match[number]
        return next((place for place, other in enumerate(self._fine) if self.question.match[other] is values), -1)

    def _frontier(
        self, board: Board, component: Component, kinds: Sequence[Kind], wanted: Vector, limit: int
    ) -> list[Vector]:
        """What a component holds; components that differ in names only are worked out once."""
        question = self.question
        free = board.free & component.bits
        residual = tuple(board.residual[place] for place in component.blocks)
        alike: list[Alike] = []
        counts: list[int] = []
        for bits, atoms in zip(component.classes, component.atoms, strict=True):
            device = (bits & -bits).bit_length() - 1
            block = question.block_of[device]
            serves = tuple(bool(each & bits) for kind in kinds for each, _ in kind.members)
            if True not in serves:
                continue
            place = component.blocks.index(block) if block >= 0 else -1
            alike.append(Alike(place, question.blocks[block].use[device] if block >= 0 else 0, serves, atoms))
            counts.append((free & bits).bit_count())
        guards = tuple(question.blocks[place].guard for place in component.blocks)
        shape = tuple((kind.attribute, tuple(count for _, count in kind.members)) for kind in kinds)
        key = (tuple(alike), tuple(counts), residual, guards, shape, wanted)
        known = self._frontiers.get(key)
        if known is None:
            frontier = Frontier(alike, guards, kinds, limit - self.visited)
            try:
                known = self._frontiers[key] = frontier.of(tuple(counts), residual, wanted)
            finally:
                self.visited += frontier.visited
        return known

    def _linked(self) -> list[list[int]]:
        """The classes, grouped by blocks and by the values of fine attributes."""
        question = self.question
        links = [block.devices for block in question.blocks]
        links += [having for number in self._fine for having in question.match[number].bits]
        groups: list[list[int]] = [[bits] for bits in self.symmetry.classes]
        for link in links:
            joined: list[int] = []
            apart: list[list[int]] = []
            for group in groups:
                if any(bits & link for bits in group):
                    joined.extend(group)
                else:
                    apart.append(group)
            groups = [*apart, joined] if joined else apart
        for group in groups:
            group.sort(key=lambda bits: bits & -bits)
        return sorted(groups, key=lambda group: group[0] & -group[0])

    def _component(self, classes: Sequence[int]) -> Component:
        question = self.question
        bits = union(classes)
        blocks = tuple(place for place, block in enumerate(question.blocks) if block.devices & bits)
        local: list[dict[int, int]] = [{} for _ in self._fine]
        atoms: list[tuple[tuple[int, ...], ...]] = []
        for each in classes:
            device = (each & -each).bit_length() - 1
            atoms.append(
                tuple(
                    tuple(_numbered(local[place], members(question.match[number].atoms[device])))
                    for place, number in enumerate(self._fine)
                )
            )
        return Component(bits, tuple(classes), blocks, tuple(atoms))


def _numbered(numbers: dict[int, int], atoms: Iterable[int]) -> Iterable[int]:
    return (numbers.setdefault(atom, len(numbers)) for atom in atoms)
