"""Nearest existing name: what a misspelt label, value or resource was probably meant to be."""

from collections.abc import Iterable
from functools import lru_cache


@lru_cache(maxsize=1 << 16)
def distance(one: str, other: str) -> int:
    """Edits between two texts, letter case counting half as much as a letter; a swap of neighbours is one edit.

    The unit is half an edit, so that `productname` is nearer to `productName` than to `productnam`.
    """
    before: list[int] = []
    row = [2 * column for column in range(len(other) + 1)]
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [2 * i]
        for j, b in enumerate(other, 1):
            same = 0 if a == b else 1 if a.casefold() == b.casefold() else 2
            best = min(before[j] + 2, row[j - 1] + 2, before[j - 1] + same)
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, older[j - 2] + 2)
            row.append(best)
    return row[-1]


def is_near(one: str, other: str) -> bool:
    """So alike that one is probably a slip for the other: at most a fifth of its letters differ, or one letter."""
    return distance(one, other) <= max(2, 2 * (max(len(one), len(other)) // 5))


def nearest(name: str, existing: Iterable[str]) -> list[str]:
    """The existing names, nearest first; equals by name."""
    return sorted(set(existing), key=lambda other: (distance(name, other), other))
