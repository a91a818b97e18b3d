"""Exclusive devices for plain needs: a matching exists exactly if trying everything finds one."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.search.matching import matched

needs = st.lists(st.tuples(st.integers(0, 2**6 - 1), st.integers(0, 2)), max_size=4)


@given(needs)
def test_as_trying_everything(wanted: list[tuple[int, int]]) -> None:
    units = [bits for bits, count in wanted for _ in range(count)]
    if len(units) > 6:
        return
    tried = any(
        all(bits >> device & 1 for bits, device in zip(units, order, strict=False))
        for order in permutations(range(6), len(units))
    )
    assert matched(wanted) is tried


@pytest.mark.parametrize(
    ("wanted", "fits"),
    [
        pytest.param([], True, id="nothing is wanted"),
        pytest.param([(0b11, 2)], True, id="all there is"),
        pytest.param([(0b11, 3)], False, id="one too many"),
        pytest.param([(0b0110, 1), (0b0011, 1), (0b0101, 1)], True, id="others must move"),
        pytest.param([(0b1100, 2), (0b0110, 1), (0b0011, 1)], True, id="a chain"),
        pytest.param([(0b011, 1), (0b011, 1), (0b011, 1), (0b111, 1)], False, id="three on two"),
        pytest.param([(0b0011, 1), (0b0110, 1), (0b1100, 1), (0b1001, 1)], True, id="a ring"),
        pytest.param([(0b10001, 1), (0b00011, 1), (0b00110, 1), (0b01100, 1), (0b01001, 1)], True, id="round and out"),
    ],
)
def test_examples(wanted: list[tuple[int, int]], fits: bool) -> None:
    assert matched(wanted) is fits
