"""Exact on scenarios that make a search turn back: beside the plain search, an independent checker, and brute force."""

from collections.abc import Callable, Iterable, Iterator

import pytest

from aliquot.allocation.answer import Allocation
from aliquot.allocation.exact import allocator as exact_module
from aliquot.allocation.search.depth_first import Outcome
from aliquot.allocation.search.first_solution import FirstSolution
from aliquot.allocation.search.question import Question, Start
from scenarios import oracle, ordinary, tight
from scenarios.api.allocation import node as api_node
from scenarios.api.slices import on_node
from scenarios.asking import exactly
from scenarios.drivers import Json
from scenarios.tight import turns

SEEDS = 40
families = pytest.mark.parametrize("family", tight.FAMILIES)


class Impatient(FirstSolution):
    """FirstSolution from the first dead end on, so that solver and packing see nearly every scenario."""

    def __init__(self, question: Question, start: Start, budget: int) -> None:
        super().__init__(question, start, budget, short=0)


def both(rows: Iterable[Json]) -> Iterator[tuple[str, object, object]]:
    """(Scenario, what exact says, what the plain search says), where the plain one doesn't give up."""
    for row in rows:
        plain = exactly.plain_answer(row)
        if isinstance(plain, Allocation) or plain.category != "gave up":
            yield row["name"], exactly.told(exactly.answer(row)), exactly.told(plain)


@families
def test_the_first_solution_of_the_plain_search(family: str) -> None:
    told = list(both(tight.scenario(family, seed) for seed in range(SEEDS)))
    assert len(told) > SEEDS / 4
    for name, exact, plain in told:
        assert exact == plain, name


@families
def test_also_when_everything_is_guided(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_module, "FirstSolution", Impatient)
    for name, exact, plain in both(tight.scenario(family, seed) for seed in range(SEEDS, 2 * SEEDS)):
        assert exact == plain, name


@pytest.mark.parametrize("make", [ordinary.scenario, turns.scenario], ids=["ordinary", "tight"])
def test_scenarios_of_all_features(make: Callable[[int, int], Json]) -> None:
    told = list(both(make(20261130, number) for number in range(SEEDS)))
    assert len(told) > SEEDS * 3 / 4
    for name, exact, plain in told:
        assert exact == plain, name


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(ordinary.scenario(101, 1988), id="a dead end told apart by the shares a request has"),
        pytest.param(tight.scenario("shares", 1274), id="likewise, in four claims"),
        pytest.param(tight.scenario("shares", 455), id="admin access of a later claim to this one's devices"),
        pytest.param(turns.scenario(102, 4475), id="admin access leaves counters paid for later shares"),
        pytest.param(tight.scenario("errors", 25), id="mode All meets an error or not by the order of devices"),
    ],
)
def test_once_wrong(row: Json) -> None:
    ((_, exact, plain),) = both([row])
    assert exact == plain


@families
def test_what_is_given_keeps_all_rules_and_none_means_none(family: str) -> None:
    for seed in range(2 * SEEDS, 3 * SEEDS):
        question, selectors = exactly.asked(tight.scenario(family, seed))
        (node,) = question.nodes
        answer = exact_module.Exact(question.supply, selectors).allocate(node, question.claims)
        world = oracle.World.of(question.supply, node, question.claims, selectors)
        assert oracle.judge(world, answer).complaints == ()


@pytest.mark.parametrize("family", tight.HARD)
def test_large_ones_end_with_an_answer_that_holds(family: str) -> None:
    for seed in range(12):
        question, selectors = exactly.asked(tight.scenario(family, seed, large=True))
        (node,) = question.nodes
        answer = exact_module.Exact(question.supply, selectors).allocate(node, question.claims)
        if isinstance(answer, Allocation):
            world = oracle.World.of(question.supply, node, question.claims, selectors)
            assert oracle.problems(world, answer.claims) == []
        else:
            assert answer.category == "does not fit"


@pytest.mark.parametrize("seed", range(40))
def test_nearly_full_gpus_under_nested_constraints_are_decided(seed: int) -> None:
    answer = exactly.answer(tight.scenario("planted", seed, large=True))
    assert isinstance(answer, Allocation) or answer.category == "does not fit"
    assert answer.steps < 1_000


def test_equal_nodes_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[Outcome] = []

    class Counting(FirstSolution):
        def run(self) -> Outcome:
            searched.append(super().run())
            return searched[-1]

    monkeypatch.setattr(exact_module, "FirstSolution", Counting)
    row = tight.scenario("mig", 3)
    twin = {**row, "nodes": [api_node("n"), api_node("m")]}
    twin["slices"] = [one for name in ("n", "m") for one in on_node(row["slices"], name)]
    exact, question = exactly.engine(twin)
    first, second = (exact.allocate(where, question.claims) for where in question.nodes)
    assert type(first) is type(second)
    assert len(searched) == 1
