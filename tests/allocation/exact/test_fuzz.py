"""Exact on scenarios that make a search turn back: beside the plain search, an independent checker, and brute force."""

from collections.abc import Callable

import pytest

from aliquot.allocation.answer import Allocation, NoAllocation
from aliquot.allocation.exact import allocator as exact_module
from aliquot.allocation.search.depth_first import Outcome
from aliquot.allocation.search.guided import Guided
from aliquot.allocation.search.question import Question, Start
from conformance import generate_allocation, generate_tight
from tests.allocation import checker, exactly, tight

SEEDS = 40
families = pytest.mark.parametrize("family", tight.FAMILIES)


class Impatient(Guided):
    """Guided from the first dead end on, so that solver and packing see nearly every scenario."""

    def __init__(self, question: Question, start: Start, budget: int) -> None:
        super().__init__(question, start, budget, short=0)


def same_as_plain(row: exactly.Json) -> bool:
    """Whether both searches tell the same; also if the plain one gives up."""
    plain = exactly.plain_answer(row)
    if isinstance(plain, NoAllocation) and plain.category == "gave up":
        return True
    assert exactly.told(exactly.answer(row)) == exactly.told(plain), row["name"]
    return True


@families
def test_the_first_solution_of_the_plain_search(family: str) -> None:
    for seed in range(SEEDS):
        assert same_as_plain(tight.scenario(family, seed))


@families
def test_also_when_everything_is_guided(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "Guided", Impatient)
    for seed in range(SEEDS, 2 * SEEDS):
        assert same_as_plain(tight.scenario(family, seed))


@pytest.mark.parametrize("make", [generate_allocation.scenario, generate_tight.scenario], ids=["ordinary", "tight"])
def test_scenarios_of_all_features(make: Callable[[int, int], exactly.Json]) -> None:
    for number in range(SEEDS):
        assert same_as_plain(make(20261130, number))


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(generate_allocation.scenario(101, 1988), id="a dead end told apart by the shares a request has"),
        pytest.param(tight.scenario("shares", 1274), id="likewise, in four claims"),
        pytest.param(tight.scenario("shares", 455), id="admin access of a later claim to this one's devices"),
        pytest.param(generate_tight.scenario(102, 4475), id="admin access leaves counters paid for later shares"),
        pytest.param(tight.scenario("errors", 25), id="mode All meets an error or not by the order of devices"),
    ],
)
def test_once_wrong(row: exactly.Json) -> None:
    assert same_as_plain(row)


@families
def test_what_is_given_keeps_all_rules_and_none_means_none(family: str) -> None:
    for seed in range(2 * SEEDS, 3 * SEEDS):
        question, selectors = exactly.asked(tight.scenario(family, seed))
        world = checker.World(question.supply, question.nodes[0], question.claims, selectors)
        answer = exact_module.Exact(question.supply, selectors).allocate(world.node, world.claims)
        if isinstance(answer, Allocation):
            assert checker.problems(world, answer.claims) == []
            assert checker.possible(world) is not False
        elif answer.category == "does not fit":
            assert checker.possible(world) is not True


@pytest.mark.parametrize("family", tight.HARD)
def test_large_ones_end_with_an_answer_that_holds(family: str) -> None:
    for seed in range(12):
        question, selectors = exactly.asked(tight.scenario(family, seed, large=True))
        answer = exact_module.Exact(question.supply, selectors).allocate(question.nodes[0], question.claims)
        if isinstance(answer, Allocation):
            world = checker.World(question.supply, question.nodes[0], question.claims, selectors)
            assert checker.problems(world, answer.claims) == []
        else:
            assert answer.category == "does not fit"


def test_equal_nodes_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Outcome] = []

    class Counting(Guided):
        def run(self) -> Outcome:
            searched.append(super().run())
            return searched[-1]

    monkeypatch.setattr(exact_module, "Guided", Counting)
    row = tight.scenario("mig", 3)
    twin = {**row, "nodes": [*row["nodes"], {"metadata": {"name": "m"}}], "node": "any"}
    twin["slices"] = [
        {
            **one,
            "metadata": {"name": f"{one['metadata']['name']}-{node}"},
            "spec": {**one["spec"], "nodeName": node, "pool": {**one["spec"]["pool"], "name": node}},
        }
        for node in ("n", "m")
        for one in row["slices"]
    ]
    exact, question = exactly.engine(twin)
    first, second = (exact.allocate(node, question.claims) for node in question.nodes)
    assert type(first) is type(second)
    assert len(searched) == 1
