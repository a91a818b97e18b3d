"""An overlay is the mapping that its changes would have made of a dict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.snapshot.overlay import FLATTEN_AT, Overlay

KEYS = st.sampled_from("abcdef")
CHANGES = st.lists(st.tuples(st.sampled_from(["put", "drop"]), KEYS, st.integers(0, 9)))


@pytest.mark.law
@given(st.dictionaries(KEYS, st.integers(0, 9)), CHANGES)
def test_it_is_the_changed_dict(base: dict[str, int], changes: list[tuple[str, str, int]]) -> None:
    overlay: Overlay[str, int] = Overlay(dict(base))
    expected = dict(base)
    for what, key, value in changes:
        if what == "put":
            overlay = overlay.put(key, value)
            expected[key] = value
        else:
            overlay = overlay.drop(key)
            expected.pop(key, None)
    assert dict(overlay) == expected
    assert len(overlay) == len(expected)
    assert dict(overlay.items()) == expected
    assert sorted(overlay.values()) == sorted(expected.values())
    for key in "abcdef":
        assert (key in overlay) == (key in expected)
        assert overlay.get(key) == expected.get(key)


@pytest.mark.law
@given(st.dictionaries(KEYS, st.integers(0, 9)), CHANGES, CHANGES)
def test_many_changes_at_once_are_the_same(
    base: dict[str, int], before: list[tuple[str, str, int]], changes: list[tuple[str, str, int]]
) -> None:
    start: Overlay[str, int] = Overlay(dict(base))
    for what, key, value in before:
        start = start.put(key, value) if what == "put" else start.drop(key)
    one_by_one = start
    at_once: dict[str, int | None] = {}
    for what, key, value in changes:
        one_by_one = one_by_one.put(key, value) if what == "put" else one_by_one.drop(key)
        at_once[key] = value if what == "put" else None
    found = start.altered(at_once)
    assert dict(found) == dict(one_by_one)
    assert len(found) == len(one_by_one)


def test_the_old_one_stays_as_it_was() -> None:
    old = Overlay({"a": 1, "b": 2})
    new = old.put("c", 3).put("a", 9).drop("b")
    assert dict(old) == {"a": 1, "b": 2}
    assert list(new.items()) == [("a", 9), ("c", 3)]
    assert new.base is old.base
    assert dict(new.changes) == {"c": 3, "a": 9}
    assert new.gone == {"b"}
    with pytest.raises(KeyError):
        new["b"]


def test_unchanged_it_is_as_fast_as_its_base() -> None:
    base = {"a": 1}
    overlay = Overlay(base)
    assert type(overlay.items()) is type(base.items())
    assert type(overlay.values()) is type(base.values())
    assert repr(overlay) == "Overlay({'a': 1})"


def test_many_changes_are_flattened() -> None:
    overlay: Overlay[int, int] = Overlay({n: n for n in range(10)})
    for n in range(FLATTEN_AT + 1):
        overlay = overlay.put(100 + n, n)
    assert len(overlay.changes) == 0
    assert len(overlay) == 10 + FLATTEN_AT + 1
