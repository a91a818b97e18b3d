"""The pruned search: depth first, in the reference's order, so the first leaf it reaches is the reference's answer.

Three rules leave out only what has no completion: necessary conditions (`bounds`), interchangeable devices, and dead
ends met before (`symmetry`). The memory of dead ends may forget *where* in the device list a request stands: when the
search behind the last pick fails, every other set with the same picks sorts before it and has failed already.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from aliquot.allocation.board import Board, Saved
from aliquot.allocation.bounds import Need, refuted
from aliquot.allocation.question import Part, Question, Start
from aliquot.allocation.symmetry import Key, Symmetry

Picks = list[tuple[int, int, tuple[int, ...]]]
"""Per step: its number, the alternative that was chosen, the devices in order."""
Outcome = Picks | Literal["none", "gave up"]

Guide = Callable[[Board, int, int, int], bool]
"""(position, step, alternative, devices that it still needs) -> may it be completed? False only if it certainly can't."""


@dataclass(slots=True)
class Frame:
    """One device to choose."""

    step: int
    alternative: int
    part: Part
    left: int
    """How many devices the request still needs, this one included."""
    given: int
    """Devices that the claim has by earlier requests."""
    untried: int
    key: Key
    saved: Saved
    device: int = -1
    """The device that is being tried; -1: none (a request of no devices has one empty choice)."""


@dataclass(slots=True)
class Search:
    """One search. `visited` counts positions, `failed` those that were dead ends; `budget` and `patience` end it."""

    question: Question
    start: Start
    symmetry: Symmetry
    able: Sequence[tuple[int, ...]]
    """Per step: the alternatives that matter to whether it can be served."""
    budget: int
    patience: int
    """Dead ends after which it gives up."""
    guide: Guide | None = None
    visited: int = 0
    failed: int = 0
    dead: set[Key] = field(default_factory=set[Key])
    _ahead: list[list[Part]] = field(default_factory=list["list[Part]"])
    _least: list[int] = field(default_factory=list[int])
    _limited: set[int] = field(default_factory=set[int])
    """Claims that could exceed the limit of devices."""

    def run(self) -> Outcome:
        """Search until the first solution, the end, or the end of the budget."""
        board = Board(self.question, self.start)
        self._ahead = [
            [step[number] for number in able] for step, able in zip(self.question.steps, self.able, strict=True)
        ]
        self._least = _least_after(self.question)
        self._limited = _limited(self.question)
        frames: list[Frame] = []
        frame = self._open(board, 0, 0, 0)
        while True:
            if frame is None:
                while frames:
                    frame = frames[-1]
                    board.restore(frame.saved)
                    if frame.device >= 0:
                        frame.untried &= ~self.symmetry.interchangeable(frame.device)
                    if frame.untried:
                        frames.pop()
                        break
                    frames.pop()
                    self.dead.add(frame.key)
                    if frame.left == frame.part.need:
                        following = self._open(board, frame.step, frame.alternative + 1, frame.given)
                        if following is not None:
                            frame = following
                            break
                else:
                    return "none"
            if self.visited > self.budget or self.failed > self.patience:
                return "gave up"
            frames.append(frame)
            if frame.left == 0:
                frame.untried = 0
                if self._last(frame):
                    return _picks(frames)
                frame = self._enter(board, frame)
                continue
            device = (frame.untried & -frame.untried).bit_length() - 1
            frame.device = device
            board.take(frame.part, device)
            if frame.left > 1:
                frame = self._continue(board, frame, device)
            elif self._last(frame):
                return _picks(frames)
            else:
                frame = self._enter(board, frame)

    def _last(self, frame: Frame) -> bool:
        return frame.step + 1 == len(self.question.steps)

    def _enter(self, board: Board, frame: Frame) -> Frame | None:
        """The step after a frame's."""
        step = frame.step + 1
        given = frame.given + frame.part.need
        claim = self.question.steps[step][0].claim
        if claim != frame.part.claim:
            board.serve(claim)
            given = 0
        return self._open(board, step, 0, given)

    def _open(self, board: Board, step: int, first: int, given: int) -> Frame | None:
        """The first device of a request, by its first alternative (from `first` on) that isn't certainly dead."""
        question = self.question
        parts = question.steps[step]
        for alternative in range(first, len(parts)):
            part = parts[alternative]
            if part.impossible or given + part.need + self._least[step] > question.limit:
                continue
            untried = board.candidates(part)
            if untried.bit_count() < part.need:
                continue
            frame = self._frame(board, step, alternative, part.need, given, untried)
            if frame is not None:
                return frame
        return None

    def _continue(self, board: Board, frame: Frame, device: int) -> Frame | None:
        untried = board.candidates(frame.part) & -(2 << device)
        left = frame.left - 1
        if untried.bit_count() < left:
            return None
        return self._frame(board, frame.step, frame.alternative, left, frame.given, untried)

    def _frame(self, board: Board, step: int, alternative: int, left: int, given: int, untried: int) -> Frame | None:
        self.visited += 1
        part = self.question.steps[step][alternative]
        counted = given if part.claim in self._limited else 0
        key = self.symmetry.key(board, step, (alternative, left, counted))
        if key in self.dead:
            return None
        needs = [Need((part,), left, [])] if left else []
        needs.extend(Need(parts, 0, []) for parts in self._ahead[step + 1 :])
        if refuted(board, needs) or (self.guide is not None and not self.guide(board, step, alternative, left)):
            self.dead.add(key)
            self.failed += 1
            return None
        return Frame(step, alternative, part, left, given, untried, key, board.save())


def _least_after(question: Question) -> list[int]:
    """Step -> the least number of devices that later requests of the same claim need."""
    result: list[int] = [0] * len(question.steps)
    for step in range(len(question.steps) - 2, -1, -1):
        following = question.steps[step + 1]
        if following[0].claim == question.steps[step][0].claim:
            able = [part.need for part in following if not part.impossible]
            result[step] = result[step + 1] + min(able, default=0)
    return result


def _limited(question: Question) -> set[int]:
    most: dict[int, int] = {}
    for step in question.steps:
        claim = step[0].claim
        most[claim] = most.get(claim, 0) + max(part.need for part in step)
    return {claim for claim, count in most.items() if count > question.limit}


def _picks(frames: list[Frame]) -> Picks:
    result: Picks = []
    for frame in frames:
        if not result or result[-1][0] != frame.step:
            result.append((frame.step, frame.alternative, ()))
        if frame.device >= 0:
            step, alternative, devices = result[-1]
            result[-1] = (step, alternative, (*devices, frame.device))
    return result
