"""Necessary conditions: if one fails, the remaining needs can't be met from this position, whatever is tried.

Each is a relaxation, so it never refutes what is possible, and pruning with it keeps the first solution in order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.bits import members
from aliquot.allocation.search.pairing import overfull
from aliquot.allocation.search.position import Position
from aliquot.allocation.search.question import Part, Question

FEW: Final = 7
"""Up to so many distinct candidate sets, all their unions are compared with what must fit inside (2**7)."""


@dataclass(slots=True)
class Need:
    """What a request still has to get: `count` devices by one of the parts."""

    parts: Sequence[Part]
    count: int
    """For a request under way, or with one alternative. Else 0: each part's own need counts."""
    sets: list[int]
    """Candidates, a set per part that is still able to serve; filled by `refuted`."""
    counts: list[int] = field(default_factory=list[int])
    """How many devices each of those parts needs."""
    least: int = 0
    """The least that any able part needs."""


def refuted(question: Question, position: Position, needs: Sequence[Need]) -> bool:
    """Says whether the needs can certainly not all be met from this position. Leaves each need's candidates behind."""
    for need in needs:
        sets: list[int] = []
        counts: list[int] = []
        for part in need.parts:
            if part.impossible:
                continue
            count = need.count or part.need
            found = position.candidates(part)
            if found.bit_count() >= count:
                sets.append(found)
                counts.append(count)
        if not sets:
            return True
        need.sets = sets
        need.counts = counts
        need.least = min(counts)
    return _no_value(question, position, needs) or _crowded(question, needs) or _drained(question, position, needs)


def _no_value(question: Question, position: Position, needs: Sequence[Need]) -> bool:
    """matchAttribute: some one value must serve all members; distinctAttribute: enough values must be left."""
    members_of: dict[int, list[Need]] = {}
    joined: dict[int, list[Need]] = {}
    rivals: dict[int, list[Need]] = {}
    for need in needs:
        if len(need.parts) == 1:
            for number in need.parts[0].match:
                joined.setdefault(number, []).append(need)
                if position.value[number] == UNSET:
                    members_of.setdefault(number, []).append(need)
            for number in need.parts[0].distinct:
                rivals.setdefault(number, []).append(need)
    for number, group in members_of.items():
        wanted = sum(need.least for need in group)
        if wanted < 2:
            continue
        values = question.match[number]
        together = 0
        for need in group:
            together |= need.sets[0]
        allowed = 0
        for atom in _atoms(values.atoms, min((need.sets[0] for need in group), key=int.bit_count)):
            having = values.bits[atom]
            enough = (together & having).bit_count() >= wanted or together & having & question.shareable
            if enough and all((need.sets[0] & having).bit_count() >= need.least for need in group):
                allowed |= having
        if not allowed:
            return True
        for need in group:
            need.sets[0] &= allowed
    if len(members_of) > 1 and overfull(
        question,
        position,
        {number: [(need.parts[0], need.least, need.sets[0]) for need in group] for number, group in joined.items()},
    ):
        return True
    for number, group in rivals.items():
        values = question.distinct[number]
        wanted = sum(need.least for need in group)
        if wanted < 2:
            continue
        seen = 0
        for need in group:
            for device in members(need.sets[0]):
                seen |= values.atoms[device]
        if seen.bit_count() < wanted:
            return True
    return False


def _atoms(atoms: Sequence[int], devices: int) -> list[int]:
    seen = 0
    while devices:
        low = devices & -devices
        devices ^= low
        seen |= atoms[low.bit_length() - 1]
    return list(members(seen))


def _crowded(question: Question, needs: Sequence[Need]) -> bool:
    """Hall's condition: what the needs must take of a set of devices can't exceed that set."""
    shareable = question.shareable
    wanted: dict[int, int] = {}
    choices: dict[tuple[tuple[int, int], ...], int] = {}
    for need in needs:
        inside = 0
        for found in need.sets:
            inside |= found
        if inside & shareable or not need.least or any(part.admin for part in need.parts):
            continue
        wanted[inside] = wanted.get(inside, 0) + need.least
        options = tuple(zip(need.sets, need.counts, strict=True))
        choices[options] = choices.get(options, 0) + 1
    if _crowded_sets(list(wanted.items())):
        return True
    return len(choices) > 1 and any(len(options) > 1 for options in choices) and _crowded_choices(choices)


def _crowded_sets(sets: Sequence[tuple[int, int]]) -> bool:
    """Needs without a choice: all unions of few sets (then it's exact), else the sets themselves and their union."""
    if len(sets) <= FEW:
        for size in range(1, len(sets) + 1):
            for chosen in combinations(sets, size):
                union = count = 0
                for bits, least in chosen:
                    union |= bits
                    count += least
                if count > union.bit_count():
                    return True
        return False
    everything = 0
    for bits, _ in sets:
        everything |= bits
    for union in (*(bits for bits, _ in sets), everything):
        if sum(least for bits, least in sets if bits & ~union == 0) > union.bit_count():
            return True
    return False


def _crowded_choices(choices: Mapping[tuple[tuple[int, int], ...], int]) -> bool:
    """Needs with a choice must take of a set what the best choice for it can't find elsewhere."""
    sets = sorted({bits for options in choices for bits, _ in options}, key=int.bit_count)
    unions = dict.fromkeys(sets)
    joined = 0
    for bits in sets:
        joined |= bits
        unions[joined] = None
    for union in unions:
        outside = ~union
        taken = 0
        for options, times in choices.items():
            fewest = min(count - (bits & outside).bit_count() for bits, count in options)
            if fewest > 0:
                taken += fewest * times
        if taken > union.bit_count():
            return True
    return False


def _drained(question: Question, position: Position, needs: Sequence[Need]) -> bool:
    """Counters: what is left of each, over all groups of them, must cover the least that the needs consume of it."""
    totals = question.totals
    if totals is None:
        return False
    wanted = 0
    for need in needs:
        if any(part.admin for part in need.parts):
            continue
        inside = 0
        for found in need.sets:
            inside |= found
        if inside & (totals.counterless | question.shareable):
            continue
        wanted += totals.least(inside) * need.least
    return bool(wanted) and totals.exceeds(wanted, position.residual)
