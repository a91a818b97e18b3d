"""One attribute over all devices, for match and distinct constraints.

Every value is an *atom*, numbered. A device has a mask of atoms: one bit for a scalar, several for a list, none where
it hasn't the attribute. So "match" is: the running AND of the masks stays non-zero; "distinct" is: the masks are
pairwise disjoint. Scalars and lists need no separate code.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.bits import members

_ALONE: Final = object()
UNSET: Final = -1
"""The value of a match constraint that no device has joined yet (all atoms are still possible)."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The atoms of one attribute. Bits are device numbers."""

    atoms: tuple[int, ...]
    """Per device: its atoms; 0: it doesn't have the attribute."""
    bits: tuple[int, ...]
    """Per atom: the devices that have it. Empty for a value that equals nothing, not even itself."""
    matchable: int
    """Devices that may join a match constraint."""
    having: int
    """Devices that may be the first of a distinct constraint."""
    comparable: int
    """Devices that may be a later one of a distinct constraint."""
    _sharing: dict[int, int] = field(default_factory=dict[int, int])

    def sharing(self, atoms: int) -> int:
        """The devices that have any of these atoms."""
        found = self._sharing.get(atoms)
        if found is None:
            found = 0
            for atom in members(atoms):
                found |= self.bits[atom]
            self._sharing[atoms] = found
        return found

    def matching(self, value: int) -> int:
        """The devices that may join a match constraint whose common atoms are `value`."""
        return self.matchable if value == UNSET else self.sharing(value)

    def differing(self, used: int) -> int:
        """The devices that may join a distinct constraint that has used these atoms."""
        return self.comparable & ~self.sharing(used) if used else self.having


def values_of(attributes: Sequence[Sequence[Hashable] | None], *, lone_first: bool) -> Values:
    """Number the values of one attribute.

    Args:
        attributes: per device, its values: one for a scalar, several for a list, none for a value that equals nothing,
            not even itself; None: it doesn't have the attribute.
        lone_first: a device whose value equals nothing may be the first one under a match constraint (but no later
            one). Under a distinct constraint it always may.
    """
    numbers: dict[object, int] = {}
    masks: list[int] = []
    bits: list[int] = []
    matchable = having = comparable = 0
    for number, keys in enumerate(attributes):
        mask = 0
        if keys is not None:
            bit = 1 << number
            having |= bit
            if keys:
                comparable |= bit
            if keys or lone_first:
                matchable |= bit
            for key in keys or ((_ALONE, number),):
                atom = numbers.setdefault(key, len(numbers))
                if atom == len(bits):
                    bits.append(0)
                if keys:
                    bits[atom] |= bit
                mask |= 1 << atom
        masks.append(mask)
    return Values(atoms=tuple(masks), bits=tuple(bits), matchable=matchable, having=having, comparable=comparable)
