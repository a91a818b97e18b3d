"""Ranges of sizes and costs, as the static estimate computes with them: uint64s that stop at the largest."""

from math import ceil
from typing import Final, NamedTuple, Self

MAX: Final = 2**64 - 1


class Range(NamedTuple):
    """The least and the most that a size or a cost can be."""

    low: int
    high: int

    def plus(self, other: Self) -> "Range":
        """Both together."""
        return Range(min(self.low + other.low, MAX), min(self.high + other.high, MAX))

    def times(self, other: Self) -> "Range":
        """One as often as the other."""
        return Range(min(self.low * other.low, MAX), min(self.high * other.high, MAX))

    def scaled(self, factor: float) -> "Range":
        """By a factor, rounded up."""
        return Range(_scaled(self.low, factor), _scaled(self.high, factor))

    def union(self, other: Self) -> "Range":
        """The range that holds both."""
        return Range(min(self.low, other.low), max(self.high, other.high))


def _scaled(number: int, factor: float) -> int:
    product = float(number) * factor
    return MAX if product > float(MAX) else min(ceil(product), MAX)


def fixed(number: int) -> Range:
    """A range of one number."""
    return Range(number, number)


ZERO: Final = fixed(0)
ONE: Final = fixed(1)
UNKNOWN: Final = Range(0, MAX)


class EntrySizes(NamedTuple):
    """The sizes of a container's keys and values."""

    is_list: bool
    key: Range
    value: Range

    def union(self, other: "EntrySizes") -> "EntrySizes":
        """The sizes that hold both's."""
        return EntrySizes(self.is_list, self.key.union(other.key), self.value.union(other.value))
