"""Every case that the Go code answered: verdict, run-time cost, static cost, and the words of run-time errors."""

import re
from collections.abc import Callable
from functools import cache

import pytest

from aliquot import cel
from tests.cel import answered
from tests.cel.answered import Case, answer

SETS: dict[str, Callable[[], list[Case]]] = {
    "extra": answered.extra,
    "edges": answered.edges,
    "random": lambda: answered.with_devices("random.jsonl"),
    "corners": lambda: answered.with_devices("corners.jsonl"),
    "branches": lambda: answered.with_devices("branches.jsonl"),
    "tails": lambda: answered.with_devices("tails.jsonl"),
    "reference": answered.reference,
}
MAP_ORDER = re.compile(r"\.(exists|all|exists_one|existsOne|map|filter|transform\w+)\(")
"""Go goes through a map in random order, so the cost of a search in one varies from run to run."""

MUCH = 10_000
"""Cost above which an expression isn't evaluated another ten times."""

Answered = tuple[Case, tuple[str, str | None, int, int]]


@cache
def answers(name: str) -> list[Answered]:
    return [(case, answer(case)) for case in SETS[name]()]


@pytest.fixture(params=list(SETS))
def cases(request: pytest.FixtureRequest) -> list[Answered]:
    if request.param == "reference" and not answered.REFERENCE.exists():
        pytest.skip("../shared isn't there")
    found = answers(request.param)
    assert len(found) > 50
    return found


def test_the_verdict_is_gos(cases: list[Answered]) -> None:
    assert [(case.name, case.expression, ours) for case, ours in cases if ours[0] != case.verdict] == []


def test_the_static_cost_is_gos(cases: list[Answered]) -> None:
    compiled = [(case, ours) for case, ours in cases if case.verdict != "C"]
    assert [(case.name, case.expression, ours) for case, ours in compiled if ours[2] != case.max_cost] == []


def test_the_run_time_cost_is_gos(cases: list[Answered]) -> None:
    different = [(case, ours) for case, ours in cases if ours[3] != case.actual_cost]
    assert [(case, ours) for case, ours in different if not MAP_ORDER.search(case.expression)] == []
    assert len(different) <= 3 + len(cases) // 100


def test_run_time_errors_have_gos_words(cases: list[Answered]) -> None:
    different = [(case, ours[1]) for case, ours in cases if case.verdict == "E" and ours[1] != case.error]
    # which of several bad attributes is named is random in Go, too
    assert [each for each in different if "unsupported attribute value" not in str(each[0].error)] == []


def test_problems_of_types_have_gos_words(cases: list[Answered]) -> None:
    refused = [each for each in cases if each[0].verdict == "C" and "yntax" not in str(each[0].error)]
    assert [(case.expression, ours[1], case.error) for case, ours in refused if ours[1] != case.error] == []


def test_the_fast_path_answers_alike(cases: list[Answered]) -> None:
    for case, ours in cases:
        if ours[3] > MUCH:
            continue
        program = cel.compile(case.expression, case.environment)
        if isinstance(program, cel.Program):
            prepared = cel.prepare(case.device)
            exact, _ = program.trace(prepared)
            assert [program.evaluate(prepared) for _ in range(9)] == [exact] * 9, case.expression
