"""Necessary conditions: if one fails, the remaining needs can't be met from this position, whatever is tried.

Each is a relaxation, so it never refutes what is possible, and pruning with it keeps the first solution in order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from aliquot.allocation.bits import members
from aliquot.allocation.board import Board
from aliquot.allocation.pairing import overfull
from aliquot.allocation.question import Part
from aliquot.allocation.values import UNSET

_FEW = 7
"""Up to so many distinct candidate sets, all their unions are compared with what must fit inside (2**7)."""


@dataclass(slots=True)
class Need:
    """What a request still has to get: `count` devices by one of the parts."""

    parts: Sequence[Part]
    count: int
    """For a request under way, or with one alternative. Else 0: each part's own need counts."""
    sets: list[int]
    """Candidates, a set per part that is still able to serve; filled by `refuted`."""
    least: int = 0
    """The least that any able part needs."""


def refuted(board: Board, needs: Sequence[Need]) -> bool:
    """Says whether the needs can certainly not all be met from this position. Leaves each need's candidates behind."""
    for need in needs:
        sets: list[int] = []
        least = -1
        for part in need.parts:
            if part.impossible:
                continue
            count = need.count or part.need
            found = board.candidates(part)
            if found.bit_count() >= count:
                sets.append(found)
                if least < 0 or count < least:
                    least = count
        if not sets:
            return True
        need.sets = sets
        need.least = least
    return _no_value(board, needs) or _crowded(board, needs) or _drained(board, needs)


def _no_value(board: Board, needs: Sequence[Need]) -> bool:
    """matchAttribute: some one value must serve all members; distinctAttribute: enough values must be left."""
    question = board.question
    members_of: dict[int, list[Need]] = {}
    joined: dict[int, list[Need]] = {}
    rivals: dict[int, list[Need]] = {}
    for need in needs:
        if len(need.parts) == 1:
            for number in need.parts[0].match:
                joined.setdefault(number, []).append(need)
                if board.value[number] == UNSET:
                    members_of.setdefault(number, []).append(need)
            for number in need.parts[0].distinct:
                rivals.setdefault(number, []).append(need)
    for number, group in members_of.items():
        if sum(need.least for need in group) < 2:
            continue
        values = question.match[number]
        allowed = 0
        for atom in _atoms(values.atoms, group[0].sets[0]):
            having = values.bits[atom]
            if all((need.sets[0] & having).bit_count() >= need.least for need in group):
                allowed |= having
        for need in group:
            need.sets[0] &= allowed
        if not allowed:
            return True
    if len(members_of) > 1 and overfull(
        board, {number: [(need.parts[0], need.least, need.sets[0]) for need in group] for number, group in joined.items()}
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


def _crowded(board: Board, needs: Sequence[Need]) -> bool:
    """Hall's condition: the needs whose candidates lie inside a set can't exceed that set."""
    shareable = board.question.shareable
    wanted: dict[int, int] = {}
    for need in needs:
        if any(part.admin for part in need.parts):
            continue
        inside = 0
        for found in need.sets:
            inside |= found
        if inside & shareable or not need.least:
            continue
        wanted[inside] = wanted.get(inside, 0) + need.least
    sets = list(wanted.items())
    if len(sets) <= _FEW:
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
    for union in (*wanted, everything):
        if sum(least for bits, least in sets if bits & ~union == 0) > union.bit_count():
            return True
    return False


def _drained(board: Board, needs: Sequence[Need]) -> bool:
    """Counters: what is left of each, over all blocks, must cover the least that the needs consume of it."""
    question = board.question
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
    return bool(wanted) and totals.exceeds(wanted, board.residual)
