"""Shapes on which upstream's search takes seconds to minutes: the work that exact does for them is pinned."""

import itertools
from typing import Any

import pytest

from aliquot.allocation.answer import Allocation, NoAllocation
from tests.allocation import exactly, tight
from tests.allocation.tight import (
    ROOT,
    claim,
    first_of,
    gpu,
    index,
    match,
    nic,
    of_profile,
    partitioned,
    pool,
    recipe,
    request,
)

Row = dict[str, Any]


def scenario(slices: list[Row], claims: list[Row]) -> Row:
    return {
        "name": "explosive",
        "features": tight.FEATURES,
        "nodes": [{"metadata": {"name": "n"}}],
        "classes": list(tight.CLASSES),
        "slices": slices,
        "claims": claims,
        "node": "n",
    }


def gpus(count: int, per_root: int = 1) -> list[Row]:
    return pool(tight.GPU, [gpu(number, per_root) for number in range(count)])


def nics(*roots: int) -> list[Row]:
    return pool(tight.NIC, [nic(number, root) for number, root in enumerate(roots)])


def mig(count: int) -> list[Row]:
    made = [partitioned(number, tight.PROFILES, 4) for number in range(count)]
    return pool(tight.GPU, [device for devices, _ in made for device in devices], [counters for _, counters in made])


def singles(count: int) -> list[Row]:
    return [request(f"r{number}", "gpu") for number in range(count)]


def pairs(count: int) -> list[Row]:
    return [claim(number, [request("g", "gpu"), request("k", "nic")], [match(ROOT)]) for number in range(count)]


def twos_or_ones(count: int) -> list[Row]:
    return [claim(0, [first_of(f"r{number}", recipe("gpu", 2), recipe("gpu")) for number in range(count)])]


def partitions(count: int, profile: str) -> list[Row]:
    return [request(f"r{number}", "mig", 1, of_profile(profile)) for number in range(count)]


NONE = [
    pytest.param(gpus(20), [claim(0, [request("r", "gpu", 21)])], 1, id="21 of 20 GPUs"),
    pytest.param(gpus(9), [claim(0, singles(10))], 1, id="10 requests on 9 GPUs"),
    pytest.param(gpus(9), [claim(n, [request("r", "gpu")]) for n in range(10)], 1, id="10 claims on 9 GPUs"),
    pytest.param(gpus(31), [claim(n, [request("r", "gpu")]) for n in range(32)], 1, id="32 claims on 31 GPUs"),
    pytest.param(
        gpus(20) + nics(99),
        [claim(0, [request("g", "gpu", 10), request("k", "nic")], [match(ROOT)])],
        1,
        id="10 GPUs and a NIC that cannot match",
    ),
    pytest.param(gpus(9) + nics(*range(8), 99), pairs(9), 1, id="9 pairs, one NIC missing"),
    pytest.param(mig(4), [claim(0, partitions(9, "3g"))], 1, id="9 MIG requests on 4 GPUs"),
    pytest.param(mig(9), [claim(0, [request("r", "mig", 19, of_profile("3g"))])], 1, id="19x3g on 9 GPUs"),
    pytest.param(mig(3), [claim(0, [request("r", "mig", 22, of_profile("1g"))])], 1, id="22x1g on 3 GPUs"),
    pytest.param(mig(15), [claim(0, partitions(31, "3g"))], 1, id="31 MIG requests on 15 GPUs"),
    pytest.param(gpus(8), twos_or_ones(9), 2, id="9 times two or one on 8"),
    pytest.param(gpus(29), twos_or_ones(30), 2, id="30 times two or one on 29"),
]

FITS = [
    pytest.param(
        gpus(10), [claim(0, [*singles(9), request("z", "gpu", 1, index("== 0"))])], 30, id="9 any, then gpu-0"
    ),
    pytest.param(
        gpus(32), [claim(0, [*singles(31), request("z", "gpu", 1, index("== 0"))])], 100, id="31 any, then gpu-0"
    ),
    pytest.param(
        mig(2),
        [claim(0, [request("a", "mig", 6, of_profile("1g")), request("b", "mig", 2, of_profile("4g"))])],
        60,
        id="6x1g, then 2x4g on 2 GPUs",
    ),
    pytest.param(
        gpus(9, 2) + nics(0),
        [claim(0, singles(7)), claim(1, [request("g", "gpu", 2), request("k", "nic")], [match(ROOT)])],
        40,
        id="7 singles, then 2 GPUs and a NIC, on 9",
    ),
]


@pytest.mark.parametrize(("slices", "claims", "most"), NONE)
def test_says_no_at_once(slices: list[Row], claims: list[Row], most: int) -> None:
    answer = exactly.answer(scenario(slices, claims))
    assert isinstance(answer, NoAllocation)
    assert answer.category == "does not fit"
    assert answer.steps <= most


@pytest.mark.parametrize(("slices", "claims", "most"), FITS)
def test_finds_the_way_round(slices: list[Row], claims: list[Row], most: int) -> None:
    answer = exactly.answer(scenario(slices, claims))
    assert isinstance(answer, Allocation)
    assert answer.steps <= most


def contradictory(requests: int, devices: int) -> Row:
    """Every two requests must match in one attribute and differ in another, and no device has both to offer."""
    names = [f"r{number}" for number in range(requests)]
    constraints = [match(f"{tight.GPU}/numa", *names), tight.distinct(ROOT, *names)]
    constraints += [match(f"{tight.GPU}/half", one, other) for one, other in itertools.pairwise(names)]
    wanted = [request(name, "any", 1, index(f">= {place % 3}")) for place, name in enumerate(names)]
    return scenario(gpus(devices, 5), [claim(0, wanted, constraints)])


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
