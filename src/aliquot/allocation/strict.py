"""The search as the reference does it, for questions in which it can meet an error.

A selector without a verdict, or a constraint that stops mode All, is fatal *when the search looks at it*; so nothing
may be left out, and no order be changed. It still forgets no dead end, and it ends with its budget.
"""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal

from aliquot.allocation.bits import members
from aliquot.allocation.board import Board
from aliquot.allocation.question import Part, Question, Start
from aliquot.allocation.search import Picks

DEEPEST = 400
"""Most devices and requests of one question: each is a level of recursion."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A fatal error: where the search stood."""

    step: int
    alternative: int
    device: int
    constraint: bool
    """A constraint stopped mode All; else the selectors have no verdict on the device."""


class _Result(Enum):
    SOLVED = auto()
    FAILED = auto()
    EXCEEDED = auto()
    """Too many devices for the claim: other devices can't help, only another alternative."""
    ENDED = auto()
    """An error, or the end of the budget."""


@dataclass(slots=True)
class Strict:
    """One search. `visited` counts positions."""

    question: Question
    start: Start
    budget: int
    visited: int = 0
    _stopped: Stopped | None = None
    _picked: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    _dead: set[object] = field(default_factory=set[object])

    def run(self) -> Picks | Stopped | Literal["none", "gave up"]:
        """Search until the first solution, the first error, the end, or the end of the budget."""
        depth = sum(1 + max(part.need for part in step) for step in self.question.steps)
        if depth > DEEPEST:
            return "gave up"
        result = self._step(Board(self.question, self.start), 0, 0)
        if result is _Result.SOLVED:
            return self._solution()
        if result is _Result.ENDED:
            return self._stopped or "gave up"
        return "none"

    def _solution(self) -> Picks:
        result: Picks = []
        for step, alternative, device in reversed(self._picked):
            if not result or result[-1][0] != step:
                result.append((step, alternative, ()))
            if device >= 0:
                result[-1] = (step, alternative, (*result[-1][2], device))
        return result

    def _step(self, board: Board, step: int, given: int) -> _Result:
        question = self.question
        if step == len(question.steps):
            return _Result.SOLVED
        parts = question.steps[step]
        another_claim = step > 0 and question.steps[step - 1][0].claim != parts[0].claim
        if another_claim:
            given = 0
            board.serve(parts[0].claim)
        exceeded = True
        saved = board.save()
        for alternative, part in enumerate(parts):
            board.restore(saved)
            result = self._device(board, step, alternative, part, part.need, 0, given)
            if result in {_Result.SOLVED, _Result.ENDED}:
                return result
            exceeded = exceeded and result is _Result.EXCEEDED
        return _Result.EXCEEDED if exceeded and not another_claim else _Result.FAILED

    def _device(
        self, board: Board, step: int, alternative: int, part: Part, left: int, behind: int, given: int
    ) -> _Result:
        """Choose one more device, behind the last one of the request."""
        self.visited += 1
        if self.visited > self.budget:
            return _Result.ENDED
        if part.impossible:
            return _Result.FAILED
        if left == 0:
            result = self._step(board, step + 1, given + part.need)
            if result is _Result.SOLVED and part.need == 0:
                self._picked.append((step, alternative, -1))
            return result
        if given + part.need > self.question.limit:
            return _Result.EXCEEDED
        key = (
            step, alternative, left, behind, given, *board.save()[:5], *board.residual, *board.value, *board.used,
            *board.left.values(),
        )  # fmt: skip
        if key in self._dead:
            return _Result.FAILED
        result = self._all(board, step, alternative, part, left, behind, given) if part.every else None
        if result is None:
            result = self._counted(board, step, alternative, part, left, behind, given)
        if result is _Result.FAILED:
            self._dead.add(key)
        return result

    def _counted(
        self, board: Board, step: int, alternative: int, part: Part, left: int, behind: int, given: int
    ) -> _Result:
        usable = board.candidates(part)
        looked_at = ~board.mine if part.admin else board.free
        errors = sum(1 << device for device in part.errors) & looked_at
        saved = board.save()
        for device in members((usable | errors) & -(1 << behind)):
            if errors >> device & 1:
                self._stopped = Stopped(step, alternative, device, constraint=False)
                return _Result.ENDED
            result = self._try(board, step, alternative, part, left, device, given)
            if result is not _Result.FAILED:
                return result
            board.restore(saved)
        return _Result.FAILED

    def _all(
        self, board: Board, step: int, alternative: int, part: Part, left: int, behind: int, given: int
    ) -> _Result:
        remaining = part.every & -(1 << behind)
        bit = remaining & -remaining
        device = bit.bit_length() - 1
        if not part.bits & bit & (~board.mine if part.admin else board.avail):
            return _Result.FAILED
        question = self.question
        for kind, number in part.order:
            joined = (
                question.match[number].matching(board.value[number])
                if kind == "match"
                else question.distinct[number].differing(board.used[number])
            )
            if not joined & bit:
                self._stopped = Stopped(step, alternative, device, constraint=True)
                return _Result.ENDED
        if not board.candidates(part) & bit:
            return _Result.FAILED
        return self._try(board, step, alternative, part, left, device, given)

    def _try(
        self, board: Board, step: int, alternative: int, part: Part, left: int, device: int, given: int
    ) -> _Result:
        board.take(part, device)
        result = self._device(board, step, alternative, part, left - 1, device + 1, given)
        if result is _Result.SOLVED:
            self._picked.append((step, alternative, device))
        return result


def may_meet_errors(question: Question, start: Start) -> bool:
    """Says whether some error could be met; when not, the order of looking doesn't matter and pruning is safe."""
    for step in question.steps:
        for part in step:
            looked_at = -1 if part.admin else start.free
            if any(looked_at >> device & 1 for device in part.errors):
                return True
            if part.every and part.order and not _harmless(question, part, step):
                return True
    return False


def _harmless(question: Question, part: Part, step: tuple[Part, ...]) -> bool:
    """Whether mode All can't break its constraints: nobody else is under them, and its devices agree."""
    others = [other for each in question.steps if each is not step for other in each]
    for kind, number in part.order:
        if any((kind, number) in other.order for other in others):
            return False
        devices = list(members(part.every))
        if kind == "match":
            values = question.match[number]
            common = -1
            for device in devices:
                common &= values.atoms[device]
            if len(devices) > 1 and (not common or part.every & ~values.sharing(common)) or part.every & ~values.matchable:
                return False
        else:
            rivals = question.distinct[number]
            used = 0
            for device in devices:
                if not rivals.differing(used) >> device & 1:
                    return False
                used |= rivals.atoms[device]
    return True
