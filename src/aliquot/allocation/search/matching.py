"""Exclusive devices for plain needs: a bipartite matching, found by augmenting paths over bit sets."""

from collections.abc import Sequence


def matched(needs: Sequence[tuple[int, int]]) -> bool:
    """Says whether every need can have its devices, none given twice.

    Args:
        needs: (candidates as bits, how many of them).
    """
    units = [bits for bits, count in sorted(needs, key=lambda need: need[0].bit_count()) for _ in range(count)]
    holder: dict[int, int] = {}
    free = 0
    for bits in units:
        free |= bits
    for unit, bits in enumerate(units):
        found = bits & free
        if found:
            low = found & -found
            holder[low] = unit
            free ^= low
            continue
        free = _augment(unit, units, holder, free)
        if free < 0:
            return False
    return True


def _augment(unit: int, units: Sequence[int], holder: dict[int, int], free: int) -> int:
    """Finds room for a unit by moving others; returns the devices still free, -1 if there's no way."""
    came: dict[int, int] = {}
    queue = [unit]
    seen = 0
    for current in queue:
        reach = units[current] & ~seen
        seen |= reach
        while reach:
            low = reach & -reach
            reach ^= low
            came[low] = current
            if not low & free:
                queue.append(holder[low])
                continue
            free ^= low
            at = low
            while True:
                taker = came[at]
                left = next((bit for bit, who in holder.items() if who == taker), 0)
                holder[at] = taker
                if taker == unit:
                    return free
                del holder[left]
                at = left
    return -1
