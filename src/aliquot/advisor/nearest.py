"""Nearest existing name: what a misspelt label, value or resource was probably meant to be."""

import re
from collections.abc import Iterable
from functools import lru_cache

WORD = re.compile(r"[a-z0-9]+")
LEAST_WORD = 2
"""Letters that a word must have to tell which name was meant."""


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


def is_slip(one: str, other: str) -> bool:
    """Near, or made of the other's words only: `A100` and `nvidia l40s` mean `NVIDIA-A100-PCIE-40GB`, `NVIDIA-L40S`."""
    if is_near(one, other):
        return True
    mine, theirs = (WORD.findall(text.casefold()) for text in (one, other))
    return len("".join(mine)) >= LEAST_WORD and bool(mine) and set(mine) <= set(theirs)


def meant(name: str, existing: Iterable[str]) -> str | None:
    """The existing name for which this one is probably a slip; None: none is that alike."""
    names = nearest(name, existing)
    if names and is_near(name, names[0]):
        return names[0]
    return next((other for other in names if is_slip(name, other)), None)


def telling(value: str) -> bool:
    """A value that says by itself what it's about: no `true`, no number, no single letter."""
    return (
        len(value) > LEAST_WORD and value.casefold() not in ("true", "false", "yes", "none") and not value.isdecimal()
    )


def is_near_resource(one: str, other: str) -> bool:
    """Likewise for resources: one domain may be cut short (`nvidia/gpu`), or left out."""
    if is_near(one, other):
        return True
    (mine, _, name), (theirs, _, known) = (text.rpartition("/") for text in (one, other))
    short = not mine or theirs.startswith(f"{mine}.") or is_near(mine, theirs)
    return short and is_near(name, known)


def nearest(name: str, existing: Iterable[str]) -> list[str]:
    """The existing names, nearest first; equals by name."""
    return sorted(set(existing), key=lambda other: (distance(name, other), other))
