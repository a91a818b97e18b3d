"""The generators give the same cases for the same seed, and our side answers every one of them in its own words."""

from collections.abc import Callable
from typing import Any

import pytest

from conformance import allocation, cdi, cel, generate_allocation, generate_cdi, generate_cel

Json = dict[str, Any]


def tight(count: int, seed: int) -> list[Json]:
    return generate_allocation.scenarios(count, seed, tight=True)


GENERATORS: tuple[Callable[[int, int], list[Json]], ...] = (
    generate_cel.cases,
    generate_allocation.scenarios,
    tight,
    generate_cdi.cases,
)


@pytest.mark.parametrize("generate", GENERATORS, ids=("cel", "allocation", "tight", "cdi"))
def test_a_seed_gives_the_same_cases_again(generate: Callable[[int, int], list[Json]]) -> None:
    assert generate(30, 5) == generate(40, 5)[:30]
    assert generate(30, 5) != generate(30, 6)


def test_selectors_of_every_verdict_are_generated() -> None:
    answers = [cel.answer(case) for case in generate_cel.cases(150, 1)]
    assert {answer["verdict"] for answer in answers} == {"T", "F", "E", "C"}
    assert all((answer["error"] is None) == (answer["verdict"] in "TF") for answer in answers)


@pytest.mark.parametrize("generate", [generate_allocation.scenarios, tight])
@pytest.mark.parametrize("engine", ["reference", "exact"])
def test_scenarios_of_every_outcome_are_generated(generate: Callable[[int, int], list[Json]], engine: Any) -> None:
    answers = [allocation.answer(case, engine=engine) for case in generate(120, 1)]
    assert {node["outcome"] for answer in answers for node in answer["nodes"]} == {"allocated", "none", "error"}


def test_cdi_cases_that_work_and_that_do_not_are_generated() -> None:
    answers = [cdi.answer(case) for case in generate_cdi.cases(120, 1)]
    assert {answer["ok"] for answer in answers} == {True, False}
    assert {answer["error_category"] for answer in answers} >= {None, "edits", "version", "unresolvable", "name"}
