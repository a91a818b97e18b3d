"""How a question is answered once the first descent has failed: a short search, then one that is guided.

Effort is counted in positions, of the search and of everything that guides it, and ends with the budget.
"""

from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.bounds import Need
from aliquot.allocation.search.depth_first import DepthFirst, Outcome
from aliquot.allocation.search.dominance import worth_trying
from aliquot.allocation.search.errors import errors_of
from aliquot.allocation.search.feasibility import Feasibility
from aliquot.allocation.search.packing import Packing
from aliquot.allocation.search.position import Position
from aliquot.allocation.search.question import Question, Start
from aliquot.allocation.search.symmetry import Symmetry

SHORT: Final = 40
"""Dead ends of the search before it's worth to ask at each position whether the rest is possible."""
EFFORT: Final = 3_000
"""Positions that `feasibility` may look at to tell."""


@dataclass(slots=True)
class FirstSolution:
    """One question, answered."""

    question: Question
    start: Start
    budget: int
    short: int = SHORT
    visited: int = 0
    _feasibility: Feasibility = field(init=False)
    _packing: Packing = field(init=False)
    _search: DepthFirst = field(init=False)

    def run(self) -> Outcome:
        """The first solution in the reference's order, the first error, "none", or "gave up"."""
        able = worth_trying(self.question)
        errors = errors_of(self.question, self.start)
        symmetry = Symmetry(self.question, errors.named)
        self._search = DepthFirst(
            question=self.question,
            start=self.start,
            symmetry=symmetry,
            able=able,
            errors=errors,
            budget=self.budget,
            patience=self.short,
        )
        outcome = self._search.run()
        if outcome == "gave up" and self._search.failed > self.short:
            self._packing = Packing(self.question, symmetry)
            self._feasibility = Feasibility(self.question, symmetry, able, errors.safe)
            self._search.guide = self._possible
            self._search.patience = self.budget
            outcome = self._search.run()
        self.visited = self._search.visited
        return outcome

    def _possible(self, position: Position, step: int, alternative: int, left: int, needs: list[Need]) -> bool:
        packing, feasibility = self._packing, self._feasibility
        before = packing.visited + feasibility.visited
        answer = packing.possible(position, needs)
        if answer is None:
            answer = feasibility.possible(position, step=step, alternative=alternative, left=left, budget=EFFORT)
        self._search.visited += packing.visited + feasibility.visited - before
        return answer is not False


def signature(question: Question, start: Start) -> tuple[object, ...]:
    """All that an outcome depends on: nodes of equal signature have equal outcomes, device numbers included."""
    return (
        start.free,
        start.avail,
        start.paid,
        tuple(start.residual),
        tuple(start.left.items()),
        question.shareable,
        tuple(question.guards.items()),
        tuple(
            tuple(
                (part.claim, part.bits, part.need, part.admin, part.order, part.every, part.error_bits, part.impossible,
                 tuple(part.consumes.items()))
                for part in step
            )
            for step in question.steps
        ),
        tuple((each.guard, tuple(each.use.items())) for each in question.counters),
        tuple((values.atoms, values.bits) for values in (*question.match, *question.distinct)),
    )  # fmt: skip
