"""Frontiers: the largest vectors are those that taking everything in every way finds."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.search.frontier import Alike, Frontier, Kind, Spent, largest

GUARD = 0b10000
"""One counter of four bits."""
ONE = Kind(((0, 1),), -1)


def alike(use: int, *serves: bool, atoms: tuple[tuple[int, ...], ...] = ()) -> Alike:
    return Alike(0 if use else -1, use, serves, atoms)


classes = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.booleans(), st.integers(0, 2)), min_size=1, max_size=3
)


@given(classes, st.integers(0, 9))
def test_as_trying_everything(given_classes: list[tuple[int, bool, bool, int]], residual: int) -> None:
    made = [alike(use, one, other) for use, one, other, _ in given_classes]
    counts = tuple(count for *_, count in given_classes)
    found = Frontier(made, (GUARD,), (ONE, ONE), 10_000).of(counts, (residual,), (3, 3))
    tried: set[tuple[int, int]] = set()
    for taken in product(*(range(count + 1) for count in counts)):
        if sum(number * each.use for number, each in zip(taken, made, strict=True)) > residual:
            continue
        for split in product(*(range(number + 1) for number in taken)):
            for_one = [(each.serves[0] or not number) for each, number in zip(made, split, strict=True)]
            rest = [number - part for number, part in zip(taken, split, strict=True)]
            for_other = [(each.serves[1] or not number) for each, number in zip(made, rest, strict=True)]
            if all(for_one) and all(for_other) and sum(split) <= 3 and sum(rest) <= 3:
                tried.add((sum(split), sum(rest)))
    assert set(found) == set(largest(tried))


def test_a_group_shares_a_value() -> None:
    pair = Kind(((0, 1), (0, 1)), 0)
    made = [
        alike(1, True, False, atoms=((0,),)),
        alike(0, False, True, atoms=((0,),)),
        alike(1, True, False, atoms=((1,),)),
        alike(0, False, True, atoms=((1,),)),
    ]
    assert Frontier(made, (GUARD,), (pair,), 100).of((2, 1, 0, 5), (9,), (5,)) == [(1,)]
    assert Frontier(made, (GUARD,), (pair,), 100).of((2, 2, 3, 5), (9,), (9,)) == [(5,)]
    assert Frontier(made, (GUARD,), (pair,), 100).of((2, 2, 3, 5), (3,), (9,)) == [(3,)]


def test_it_ends_with_its_effort() -> None:
    with pytest.raises(Spent):
        Frontier([alike(1, True)], (GUARD,), (ONE,), 2).of((9,), (9,), (9,))


def test_covered_vectors_are_left_out() -> None:
    assert largest([(1, 1), (0, 2), (1, 0), (1, 1)]) == [(0, 2), (1, 1)]
