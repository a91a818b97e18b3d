"""Sets of devices as whole numbers: bit n stands for the n-th device of a view, in search order."""

from collections.abc import Iterable, Iterator


def members(bits: int) -> Iterator[int]:
    """The device numbers in a set, lowest first."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def union(sets: Iterable[int]) -> int:
    """All devices of any of the sets."""
    result = 0
    for bits in sets:
        result |= bits
    return result
