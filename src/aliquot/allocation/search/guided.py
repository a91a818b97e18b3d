"""How a question is answered once the first descent has failed: a short search, then one that is guided.

Effort is counted in positions, of the search and of everything that guides it, and ends with the budget.
"""

from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.search.board import Board
from aliquot.allocation.search.bounds import Need
from aliquot.allocation.search.depth_first import Outcome, Search
from aliquot.allocation.search.dominance import worth_trying
from aliquot.allocation.search.errors import danger_of
from aliquot.allocation.search.packing import Packing
from aliquot.allocation.search.question import Question, Start
from aliquot.allocation.search.solver import Solver
from aliquot.allocation.search.symmetry import Symmetry

SHORT: Final = 40
"""Dead ends of the search before it's worth to ask a solver at each position."""
QUICK: Final = 150
"""Positions of the solver before the packing bound is asked."""
LONG: Final = 3_000
"""Positions of the solver after that."""


@dataclass(slots=True)
class Guided:
    """One question, answered."""

    question: Question
    start: Start
    budget: int
    short: int = SHORT
    visited: int = 0
    _solver: Solver = field(init=False)
    _packing: Packing = field(init=False)
    _packs: bool = False
    """The packing bound has refuted something: it's asked first from then on."""
    _search: Search = field(init=False)

    def run(self) -> Outcome:
        """The first solution in the reference's order, the first error, "none", or "gave up"."""
        able = worth_trying(self.question)
        danger = danger_of(self.question, self.start)
        symmetry = Symmetry(self.question, danger.named)
        self._search = Search(self.question, self.start, symmetry, able, danger, self.budget, self.short)
        outcome = self._search.run()
        if outcome == "gave up" and self._search.failed > self.short:
            self._packing = Packing(self.question, symmetry)
            self._solver = Solver(self.question, symmetry, able, danger.safe)
            self._search.guide = self._possible
            self._search.patience = self.budget
            outcome = self._search.run()
        self.visited = self._search.visited
        return outcome

    def _possible(self, board: Board, step: int, alternative: int, left: int, needs: list[Need]) -> bool:
        solver, packing = self._solver, self._packing
        before = solver.visited + packing.visited
        answer = packing.possible(board, needs)
        if answer is None:
            answer = solver.possible(board, step, alternative, left, QUICK)
        if answer is None:
            answer = solver.possible(board, step, alternative, left, LONG)
        self._search.visited += solver.visited + packing.visited - before
        return answer is not False
