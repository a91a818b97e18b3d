"""The search against trying everything in order: the same first solution, guided or not; and what packing says."""

import pytest

from aliquot.allocation.search.bounds import Need, refuted
from aliquot.allocation.search.first_solution import FirstSolution
from aliquot.allocation.search.packing import Packing
from aliquot.allocation.search.position import position_of
from aliquot.allocation.search.symmetry import Symmetry
from scenarios.asking import small_questions as questions

SEEDS = range(300)
DECIDED = 200
"""At least so many of the questions are small enough for trying everything."""


def answers(seed: int) -> tuple[questions.World, questions.Picks | None] | None:
    world = questions.tight(seed)
    try:
        return world, questions.first_solution(world)
    except TimeoutError:
        return None


@pytest.mark.law
@pytest.mark.parametrize("short", [0, 40])
def test_the_first_solution_of_all(short: int) -> None:
    decided = 0
    for seed in SEEDS:
        known = answers(seed)
        if known is not None:
            world, expected = known
            decided += 1
            assert FirstSolution(world.question, world.start, 20_000, short).run() == (expected or "none"), seed
    assert decided >= DECIDED


@pytest.mark.law
def test_packing_is_right_whatever_it_says() -> None:
    said: list[bool] = []
    for seed in SEEDS:
        known = answers(seed)
        if known is None:
            continue
        world, expected = known
        position = position_of(world.question, world.start)
        needs = [Need(step, 0, []) for step in world.question.steps]
        if not refuted(world.question, position, needs):
            answer = Packing(world.question, Symmetry(world.question)).possible(position, needs)
            if answer is not None:
                said.append(answer)
                assert answer is (expected is not None), seed
    assert said.count(False) > 5
    assert said.count(True) > 40
