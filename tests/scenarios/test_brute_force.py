"""What exact answers holds, by the rules and by brute force; `make soak` asks twenty thousand such questions."""

import pytest

from scenarios.soak import Tally, judged, rows

COUNT = 360


@pytest.fixture(scope="module")
def tally() -> Tally:
    return judged(rows(COUNT, 8))


def test_every_answer_holds(tally: Tally) -> None:
    assert [(row["name"], node, complaints) for row, node, complaints in tally.wrong] == []


def test_questions_of_all_kinds_were_asked(tally: Tally) -> None:
    assert tally.scenarios == COUNT
    assert tally.several_nodes > COUNT / 5
    assert tally.several_pools > COUNT / 5
    assert tally.outcomes["feasible"] > COUNT / 5
    assert tally.outcomes["infeasible"] > COUNT / 5
    assert tally.outcomes["error"] > COUNT / 50
    assert tally.outcomes["undecided"] < COUNT / 10
