"""Packed counters: what fits is what fits counter by counter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.search.counter_totals import totals_of
from aliquot.allocation.search.counters import linked_counters

SETS = {"a": {"x": 8, "y": 4}, "b": {"x": 6}}
KEYS = [("a", "x"), ("a", "y"), ("b", "x")]
amounts = st.dictionaries(st.sampled_from(KEYS), st.integers(0, 5).map(lambda n: 2 * n), min_size=1)


@given(st.lists(amounts, min_size=1, max_size=6), st.data())
def test_fit_is_counter_by_counter(uses: list[dict[tuple[str, str], int]], data: st.DataObject) -> None:
    numbered = list(enumerate(uses))
    linked = linked_counters(SETS, numbered)
    taken = data.draw(st.lists(st.sampled_from(numbered), unique_by=lambda pair: pair[0]))
    left = {key: SETS[key[0]][key[1]] - sum(use.get(key, 0) for _, use in taken) for key in KEYS}
    for each in linked:
        mine = [each.use[number] for number, _ in taken if number in each.use]
        residual, short = each.drained(mine)
        assert set(short) == {key for key, _, _ in each.fields if left[key] < 0}
        for number, use in numbered:
            if number in each.use and not any(key in short for key in use):
                fits = all(left[key] >= amount for key, amount in use.items())
                assert bool(each.fit(residual) >> number & 1) is fits
    assert sum(each.devices for each in linked) == (1 << len(uses)) - 1


def test_sets_that_a_device_links_are_one_group() -> None:
    apart = linked_counters(SETS, [(0, {("a", "x"): 2}), (1, {("b", "x"): 2})])
    linked = linked_counters(SETS, [(0, {("a", "x"): 2}), (1, {("b", "x"): 2}), (2, {("a", "y"): 1, ("b", "x"): 1})])
    assert [each.devices for each in apart] == [0b01, 0b10]
    assert [each.devices for each in linked] == [0b111]


def test_equal_sets_pack_alike_whatever_their_names() -> None:
    sets = {"gpu-0": {"memory": 80, "compute": 7}, "gpu-1": {"compute": 7, "memory": 80}}
    uses = [(number, {(f"gpu-{number}", "memory"): 40, (f"gpu-{number}", "compute"): 3}) for number in range(2)]
    first, second = linked_counters(sets, uses)
    assert (first.full, first.guard, first.use[0]) == (second.full, second.guard, second.use[1])


def test_consumption_elsewhere_counts_in_its_own_group_only() -> None:
    (each,) = linked_counters(SETS, [(0, {("a", "x"): 4})], [{("a", "x"): 3, ("b", "x"): 5}])
    residual, short = each.drained([each.packed({("a", "x"): 3, ("b", "x"): 5})])
    assert (short, each.fit(residual)) == ((), 0b1)
    assert each.drained([each.packed({("a", "x"): 9})])[1] == (("a", "x"),)


@pytest.mark.parametrize(("wanted", "exceeds"), [(1, False), (4, False), (5, True)])
def test_totals_add_up_over_all_gpus(wanted: int, exceeds: bool) -> None:
    sets = {f"gpu-{number}": {"slices": 2} for number in range(2)}
    uses = [(number, {(f"gpu-{number // 2}", "slices"): 1}) for number in range(4)]
    linked = linked_counters(sets, uses)
    totals = totals_of(linked, 0b11111)
    assert totals is not None
    assert totals.counterless == 0b10000
    assert totals.exceeds(totals.least(0b1111) * wanted, [each.full for each in linked]) is exceeds


def test_there_are_no_totals_without_counters() -> None:
    assert totals_of([], 0b1) is None
