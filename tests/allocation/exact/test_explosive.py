"""Shapes on which upstream's search takes seconds to minutes: the work that exact does for them is pinned."""

import itertools
from typing import Any

import pytest

from aliquot.allocation.answer import Allocation, NoAllocation
from scenarios import tight
from scenarios.api.allocation import scenario
from scenarios.api.claims import claim, distinct, match, request
from scenarios.api.devices import gpu
from scenarios.api.selectors import index
from scenarios.api.slices import pool
from scenarios.asking import exactly
from scenarios.drivers import GPU, ROOT
from scenarios.shapes import explosive

Row = dict[str, Any]

STEPS = {
    "21 GPUs of 20": 1,
    "22 x 1g on 3 GPUs": 1,
    "10 requests on 9 GPUs": 1,
    "10 claims on 9 GPUs": 1,
    "10 of 20 GPUs + a NIC that can't match": 1,
    "9 x 3g on 4 GPUs": 1,
    "9 x (2 or 1) on 8 GPUs": 2,
    "9 GPU+NIC pairs, one NIC missing": 1,
    "9 any, then gpu-0, on 10": 30,
    "6 x 1g, then 2 x 4g, on 2 GPUs": 60,
    "7 singles, then 2 GPUs + NIC, on 9": 40,
    "32 claims on 31 GPUs": 1,
    "19 x 3g on 9 GPUs, in one request": 1,
    "31 x 3g on 15 GPUs": 1,
    "30 x (2 or 1) on 29 GPUs": 2,
    "31 any, then gpu-0, on 32": 100,
}
"""Shape -> the most devices that are tried."""
SHAPES = [pytest.param(row, id=row["name"]) for row in (*explosive.explosive(), *explosive.larger())]
FIT = {
    "9 any, then gpu-0, on 10",
    "31 any, then gpu-0, on 32",
    "6 x 1g, then 2 x 4g, on 2 GPUs",
    "7 singles, then 2 GPUs + NIC, on 9",
}


@pytest.mark.parametrize("row", SHAPES)
def test_is_decided_in_few_steps(row: Row) -> None:
    answer = exactly.answer(row)
    if row["name"] in FIT:
        assert isinstance(answer, Allocation)
    else:
        assert isinstance(answer, NoAllocation)
        assert answer.category == "does not fit"
    assert answer.steps <= STEPS[row["name"]]


def contradictory(requests: int, devices: int) -> Row:
    """Every two requests must match in one attribute and differ in another, and no device has both to offer."""
    names = [f"r{number}" for number in range(requests)]
    constraints = [match(f"{GPU}/numa", *names), distinct(ROOT, *names)]
    constraints += [match(f"{GPU}/half", one, other) for one, other in itertools.pairwise(names)]
    wanted = [request(name, "any", 1, index(f">= {place % 3}")) for place, name in enumerate(names)]
    return scenario("contradictory", pool(GPU, [gpu(n, 5) for n in range(devices)]), [claim(0, wanted, constraints)])


def test_nobody_can_hang_it() -> None:
    exact, question = exactly.engine(contradictory(32, 128))
    answer = exact.allocate(question.nodes[0], question.claims)
    assert isinstance(answer, NoAllocation)
    assert answer.category in {"does not fit", "gave up"}
    assert answer.steps <= exact.budget + 5_000


def test_the_budget_ends_the_search_and_more_budget_never_does_worse() -> None:
    row = tight.scenario("mig", 715, large=True)
    outcomes: list[str] = []
    for budget in (1, 50, 500, 20_000):
        exact, question = exactly.engine(row)
        exact.budget = budget
        answer = exact.allocate(question.nodes[0], question.claims)
        outcomes.append(answer.category if isinstance(answer, NoAllocation) else "fits")
        again, _ = exactly.engine(row)
        again.budget = budget
        assert exactly.told(again.allocate(question.nodes[0], question.claims)) == exactly.told(answer)
    assert outcomes[0] == "gave up"
    decided = [outcome for outcome in outcomes if outcome != "gave up"]
    assert len(set(decided)) == 1
    assert outcomes == sorted(outcomes, key=lambda outcome: outcome != "gave up")
