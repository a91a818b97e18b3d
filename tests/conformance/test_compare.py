"""A difference is found, is dropped where the reference wavers, and is made smaller."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

import pytest

from conformance import compare, reference
from conformance.compare import Json, Subject, compared, replaced, shrunk, without_key, without_one


def subject(ours: Any) -> Subject:
    def differs(given: Json, answer: Json) -> Sequence[str]:
        return ["sum"] if given["sum"] != answer["sum"] else []

    def smaller(case: Json) -> Iterator[Json]:
        yield from without_one(case, ("numbers",))

    return Subject("sums", "add", ours, differs, smaller)


def right(case: Json) -> Json:
    return {"sum": sum(case["numbers"])}


def forgets_sevens(case: Json) -> Json:
    return {"sum": sum(number for number in case["numbers"] if number != 7)}


@pytest.fixture
def adds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "ask", lambda _kubernetes, _verb, cases, *_flags: [right(case) for case in cases])


CASES: list[Json] = [{"numbers": [1, 2]}, {"numbers": [5, 7, 9, 11, 7, 3]}, {"numbers": []}]


@pytest.mark.usefixtures("adds")
def test_no_difference_where_both_agree() -> None:
    outcome = compared(subject(right), "1.36", CASES)
    assert (outcome.asked, outcome.differences) == (3, [])


@pytest.mark.usefixtures("adds")
def test_a_difference_is_found_and_shrunk() -> None:
    asked = subject(forgets_sevens)
    outcome = compared(asked, "1.36", CASES)
    assert [each.case for each in outcome.failures] == [CASES[1]]
    assert outcome.counts() == {"sum": 1}
    assert shrunk(asked, "1.36", outcome.failures[0]).case == {"numbers": [7]}


@pytest.mark.usefixtures("adds")
def test_a_crash_of_ours_is_a_difference() -> None:
    def crashes(_case: Json) -> Json:
        raise KeyError("x")

    outcome = compared(subject(crashes), "1.36", CASES[:1])
    assert outcome.differences[0].what == ("crash",)
    assert outcome.differences[0].ours == {"crash": "KeyError: 'x'"}


def test_a_wavering_reference_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = count()
    answers = ({"sum": 3}, {"sum": 4})
    monkeypatch.setattr(reference, "ask", lambda _k, _v, cases, *_f: [answers[next(turns) % 2] for _ in cases])
    assert compared(subject(lambda _case: {"sum": 4}), "1.36", CASES[:1]).differences == []
    assert compared(subject(lambda _case: {"sum": 5}), "1.36", CASES[:1]).counts() == {"sum": 1}


def test_a_search_that_was_stopped_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = {"nodes": [{"timedOut": True}], "sum": 0}
    monkeypatch.setattr(reference, "ask", lambda _k, _v, cases, *_f: [stopped for _ in cases])
    outcome = compared(subject(right), "1.36", CASES)
    assert (outcome.asked, outcome.skipped) == (0, 3)


def test_variants_lack_one_item_or_one_member() -> None:
    case: Json = {"a": [{"b": [1, 2]}, {"b": [3]}], "c": {"x": 1, "y": 2}}
    assert list(without_one(case, ("a", "*", "b"))) == [
        {"a": [{"b": [2]}, {"b": [3]}], "c": {"x": 1, "y": 2}},
        {"a": [{"b": [1]}, {"b": [3]}], "c": {"x": 1, "y": 2}},
        {"a": [{"b": [1, 2]}, {"b": []}], "c": {"x": 1, "y": 2}},
    ]
    assert [each["c"] for each in without_key(case, ("c",))] == [{"y": 2}, {"x": 1}]
    assert list(without_one(case, ("nothing",))) == []
    assert replaced(case, ("a", 1, "b"), [])["a"][0] is case["a"][0]


def test_all_variants_of_a_long_list_include_its_halves() -> None:
    variants = [each["n"] for each in without_one({"n": [1, 2, 3, 4]}, ("n",))]
    assert variants[:2] == [[1, 2], [3, 4]]
    assert compare.timed_out({"nodes": [{"timedOut": True}]})
