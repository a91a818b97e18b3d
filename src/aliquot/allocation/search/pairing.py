"""A bound for many matchAttribute groups of one shape: how many such groups can the values of the attribute still hold?

"Nine claims, each a GPU and a NIC on one PCIe root": every root holds as many pairs as the scarcer of the two kinds
allows; the sum over the roots must reach the number of groups that haven't begun.
"""

from collections.abc import Mapping, Sequence

from aliquot.allocation.search.attribute_values import UNSET
from aliquot.allocation.search.position import Position
from aliquot.allocation.search.question import Part, Question

Tied = tuple[Part, int, int]
"""A part under a constraint, how many devices it still needs, its candidates."""
Shape = tuple[tuple[int, int], ...]


def overfull(question: Question, position: Position, members: Mapping[int, Sequence[Tied]]) -> bool:
    """Says whether the groups can't all find a value.

    Args:
        question: what is asked.
        position: where the search stands.
        members: match constraint -> its members that still need devices, in order.
    """
    members = {number: sorted(group, key=_kind) for number, group in members.items()}
    groups: dict[tuple[int, Shape], list[int]] = {}
    for number, group in members.items():
        if position.value[number] == UNSET and not _flexible(group, question.shareable):
            shape = tuple((part.bits, count) for part, count, _ in group)
            groups.setdefault((id(question.match[number]), shape), []).append(number)
    for (attribute, shape), numbers in groups.items():
        if len(numbers) < 2 or not _disjoint(numbers, members):
            continue
        pools = [0] * len(shape)
        for number in numbers:
            for place, (_, _, found) in enumerate(members[number]):
                pools[place] |= found
        values = question.match[numbers[0]]
        begun = [
            number for number in members if position.value[number] != UNSET and id(question.match[number]) == attribute
        ]
        waiting = {id(part) for number in numbers for part, _, _ in members[number]}
        room = 0
        for atom, having in enumerate(values.bits):
            least = len(numbers)
            for place, (bits, count) in enumerate(shape):
                have = pools[place] & having
                taken = 0
                counted = set(waiting)
                for number in begun:
                    if position.value[number] != 1 << atom:
                        continue
                    for part, still, found in members[number]:
                        if (
                            part.bits == bits
                            and id(part) not in counted
                            and not _flexible(((part, 1, found),), question.shareable)
                        ):
                            counted.add(id(part))
                            have |= found & having
                            taken += still
                least = min(least, max(have.bit_count() - taken, 0) // count)
            room += least
            if room >= len(numbers):
                break
        if room < len(numbers):
            return True
    return False


def _kind(member: Tied) -> tuple[int, int]:
    part, count, _ = member
    return (part.bits, count)


def _flexible(group: Sequence[Tied], shareable: int) -> bool:
    return any(part.admin or count == 0 or found & shareable for part, count, found in group)


def _disjoint(numbers: Sequence[int], members: Mapping[int, Sequence[Tied]]) -> bool:
    """No request may be a member of two of the groups, or it would be counted twice."""
    parts = [id(part) for number in numbers for part, _, _ in members[number]]
    return len(parts) == len(set(parts))
