"""Whether an allocator's answer holds."""

from dataclasses import dataclass
from typing import Literal

from aliquot.allocation.answer import Allocation, Answer
from scenarios.oracle.faults import certain, possible_errors
from scenarios.oracle.possible import possible
from scenarios.oracle.rules import problems
from scenarios.oracle.world import World

Outcome = Literal["feasible", "infeasible", "undecided", "error", "gave up"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is true of a question, and what is wrong with an answer to it."""

    outcome: Outcome
    """By brute force; undecided: too many choices. Of errors only the cause is looked for."""
    complaints: tuple[str, ...] = ()


def judge(world: World, answer: Answer) -> Judgement:
    """Hold an answer against the rules and against brute force."""
    wrong = list(certain(world))
    if wrong:
        given = isinstance(answer, Allocation) or answer.category != "fatal"
        return Judgement("error", tuple(f"not refused: {each}" for each in wrong) if given else ())
    if isinstance(answer, Allocation):
        found = possible(world)
        complaints = problems(world, answer.claims)
        if found is False:
            complaints.append("something is given, and brute force finds nothing")
        return Judgement(_outcome(found), tuple(complaints))
    if answer.category == "gave up":
        return Judgement("gave up")
    if answer.category == "fatal":
        return Judgement("error", () if any(possible_errors(world)) else (f"an error without a cause: {answer.error}",))
    found = possible(world)
    complaints = ["nothing is given, and brute force finds something"] if found else []
    invalid = any(pool.state == "invalid" for pool in world.pools)
    if invalid != (answer.category == "this node only"):
        complaints.append(f"{answer.category!r}, and {'a' if invalid else 'no'} pool is invalid")
    return Judgement(_outcome(found), tuple(complaints))


def _outcome(found: bool | None) -> Outcome:
    return "undecided" if found is None else "feasible" if found else "infeasible"
