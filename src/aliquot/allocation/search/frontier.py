"""What one component can hold: the vectors of demands that fit together and that can't be made larger."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Vector = tuple[int, ...]
"""How often each kind of demand is met."""


class Spent(Exception):  # noqa: N818 - no fault: the search was told when to stop
    """The effort has ended."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of demand: devices that belong together."""

    members: tuple[tuple[int, int], ...]
    """(devices that may serve, as bits; how many of them)."""
    attribute: int
    """The fine attribute of which they must share a value; -1: none, it's one device by itself."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Devices that nothing tells apart."""

    block: int
    """Place of the block they draw on; -1: none."""
    use: int
    serves: tuple[bool, ...]
    """Per member of each kind, one after the other."""
    atoms: tuple[tuple[int, ...], ...]
    """Per fine attribute: its values."""


State = tuple[Vector, Vector]
"""How many devices of each class are free; the residual of each block."""


class Frontier:
    """Takes the kinds in order, in every way that matters. `visited` counts states."""

    def __init__(self, alike: Sequence[Alike], guards: Sequence[int], kinds: Sequence[Kind], effort: int) -> None:
        self.visited = 0
        self._effort = effort
        self._alike = alike
        self._guards = guards
        self._kinds = kinds
        self._known: dict[tuple[State, int, Vector], list[Vector]] = {}
        self._members: list[list[tuple[list[int], int]]] = []
        """Per kind, per member: the classes that may serve, and how many devices it takes."""
        at = 0
        for kind in kinds:
            rows: list[tuple[list[int], int]] = []
            for _, count in kind.members:
                rows.append(([place for place, each in enumerate(alike) if each.serves[at]], count))
                at += 1
            self._members.append(rows)

    def of(self, counts: Vector, residual: Vector, wanted: Vector) -> list[Vector]:
        """The largest vectors, none beyond what is wanted.

        Raises:
            Spent: it takes more states than it may look at.
        """
        return self._of(self._fitting(list(counts), residual), 0, wanted)

    def _of(self, state: State, first: int, wanted: Vector) -> list[Vector]:
        key = (state, first, wanted[first:])
        known = self._known.get(key)
        if known is not None:
            return known
        self.visited += 1
        if self.visited > self._effort:
            raise Spent
        found: list[Vector] = [(0,) * len(wanted)]
        for number in range(first, len(wanted)):
            if not wanted[number]:
                continue
            fewer = (*wanted[:number], wanted[number] - 1, *wanted[number + 1 :])
            for after in self._taken(state, number):
                found.extend(
                    (*vector[:number], vector[number] + 1, *vector[number + 1 :])
                    for vector in self._of(after, number, fewer)
                )
        result = self._known[key] = largest(found)
        return result

    def _taken(self, state: State, number: int) -> Iterable[State]:
        """The states after one more of a kind."""
        attribute = self._kinds[number].attribute
        if attribute < 0:
            return self._devices(state, number, None, 0)
        after: dict[State, None] = {}
        atoms = dict.fromkeys(atom for each in self._alike for atom in each.atoms[attribute])
        for atom in atoms:
            after.update(dict.fromkeys(self._devices(state, number, attribute, atom)))
        return after

    def _devices(self, state: State, number: int, attribute: int | None, atom: int) -> Iterable[State]:
        states: dict[State, None] = {state: None}
        for classes, count in self._members[number]:
            among = (
                classes
                if attribute is None
                else [place for place in classes if atom in self._alike[place].atoms[attribute]]
            )
            for _ in range(count):
                following: dict[State, None] = {}
                for each in states:
                    for place in among:
                        if each[0][place]:
                            following[self._one(each, place)] = None
                states = following
        return states

    def _one(self, state: State, place: int) -> State:
        """The state after one device of a class, of which one is free and fits."""
        counts = list(state[0])
        counts[place] -= 1
        each = self._alike[place]
        if each.block < 0:
            return (tuple(counts), state[1])
        residual = list(state[1])
        residual[each.block] -= each.use
        return self._fitting(counts, tuple(residual))

    def _fitting(self, counts: list[int], residual: Vector) -> State:
        """Forgets the devices that don't fit any more."""
        for place, each in enumerate(self._alike):
            if counts[place] and each.block >= 0:
                guard = self._guards[each.block]
                if ((residual[each.block] | guard) - each.use) & guard != guard:
                    counts[place] = 0
        return (tuple(counts), residual)


def largest(vectors: Iterable[Vector]) -> list[Vector]:
    """Those that no other covers, largest first."""
    kept: list[Vector] = []
    for vector in sorted(set(vectors), key=lambda one: (-sum(one), one)):
        if not any(all(x <= y for x, y in zip(vector, other, strict=True)) for other in kept):
            kept.append(vector)
    return kept
