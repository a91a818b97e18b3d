"""What one bin can still hold: a GPU that is cut into partitions, or devices that are alike and draw on no counters.

A *filling* says how many devices of each kind, packed into one number. All ways to place a filling are remembered, so
that a larger one takes one more step from a smaller one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.counters import fits

WIDTH: Final = 10
"""Bits for one count of devices."""
WAYS: Final = 5_000
"""Most ways to place a filling."""
_COUNT: Final = (1 << WIDTH) - 1


class SpentError(Exception):
    """Finding out takes more effort than is allowed."""


@dataclass(slots=True)
class Room:
    """A bin in one state. Its classes are numbered by their places; kinds get numbers as they come up."""

    uses: Sequence[int]
    """Per class: what one device consumes, packed."""
    guard: int
    counts: int
    """Per class: how many devices are free, packed."""
    residual: int
    _kinds: dict[int, int] = field(default_factory=dict[int, int])
    _places: list[list[int]] = field(default_factory=list["list[int]"])
    """Per kind: the classes that may serve."""
    _ways: dict[int, set[tuple[int, int]]] = field(default_factory=dict[int, "set[tuple[int, int]]"])
    """Filling -> the states that it may leave: counts, residual."""

    def filling(self, classes: int) -> int:
        """One device of any of these classes (as bits); 0: there's none, or it doesn't fit even alone."""
        known = self._kinds.get(classes)
        if known is None:
            known = 1 << len(self._places) * WIDTH
            self._places.append([place for place in range(len(self.uses)) if classes >> place & 1])
            if not self.holds(known):
                known = 0
            self._kinds[classes] = known
        return known

    def holds(self, filling: int) -> bool:
        """Says whether all these devices fit at once.

        Raises:
            SpentError: there are too many ways to place them.
        """
        ways = self._ways.get(filling)
        return bool(self._placed(filling) if ways is None else ways)

    def most(self, filling: int, one: int, count: int) -> int:
        """How many of `one`, and no more than `count`, still fit beside a filling that fits."""
        most = 0
        while most < count and self.holds(filling + one * (most + 1)):
            most += 1
        return most

    def _placed(self, filling: int) -> set[tuple[int, int]]:
        if not filling:
            return self._ways.setdefault(0, {(self.counts, self.residual)})
        kind = (filling.bit_length() - 1) // WIDTH
        fewer = filling - (1 << kind * WIDTH)
        before = self._ways.get(fewer)
        if before is None:
            before = self._placed(fewer)
        after = self._ways[filling] = {
            (counts - (1 << place * WIDTH), residual - self.uses[place])
            for counts, residual in before
            for place in self._places[kind]
            if counts >> place * WIDTH & _COUNT and fits(self.uses[place], residual, self.guard)
        }
        if len(after) > WAYS:
            raise SpentError
        return after
