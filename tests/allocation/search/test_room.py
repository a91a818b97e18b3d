"""What a bin can hold: as trying everything says."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.search.room import WAYS, WIDTH, Room, SpentError

GUARD = 0b10000
"""One counter of four bits."""


def packed(counts: list[int]) -> int:
    return sum(count << place * WIDTH for place, count in enumerate(counts))


@pytest.mark.law
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=3, max_size=3),
    st.integers(0, 9),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_a_filling_fits_if_some_choice_of_devices_does(
    classes: list[tuple[int, int]], residual: int, narrow: int, wide: int
) -> None:
    """One kind may take the first class, the other one any."""
    room = Room([use for use, _ in classes], GUARD, packed([count for _, count in classes]), residual)
    filling = room.filling(0b001) * narrow + room.filling(0b111) * wide
    unknown = (narrow and not room.filling(0b001)) or (wide and not room.filling(0b111))
    possible = any(
        sum(taken) == narrow + wide
        and taken[0] >= narrow
        and sum(number * use for number, (use, _) in zip(taken, classes, strict=True)) <= residual
        for taken in product(*(range(count + 1) for _, count in classes))
    )
    assert possible is (not unknown and room.holds(filling))


def test_how_many_more_fit() -> None:
    room = Room([2, 1], GUARD, packed([3, 9]), 7)
    large, small = room.filling(0b01), room.filling(0b10)
    assert [room.most(large * number, small, 9) for number in (0, 1, 2, 3)] == [7, 5, 3, 1]
    assert room.most(0, small, 4) == 4


def test_too_many_ways_end_it() -> None:
    room = Room([0] * 20, 0, packed([1] * 20), 0)
    every = room.filling((1 << 20) - 1)
    assert room.holds(every * 3)
    with pytest.raises(SpentError):
        room.holds(every * 8)
    assert WAYS < 38_760  # 20 over 6
