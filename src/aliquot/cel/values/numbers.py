"""64-bit integers: their bounds, and the unsigned ones."""

from dataclasses import dataclass
from typing import Final

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Uint:
    """An unsigned 64-bit integer, never equal to an int as a key of a map."""

    value: int


NUMBERS: Final = frozenset({int, Uint, float})
"""The Python types of numbers."""
