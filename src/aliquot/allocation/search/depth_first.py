"""The pruned search: depth first, in the reference's order, so the first leaf it reaches is the reference's answer.

Three rules leave out only what has no completion: necessary conditions (`bounds`), interchangeable devices, and dead
ends met before (`symmetry`). The memory of dead ends may forget *where* in the device list a request stands: when the
search behind the last pick fails, every other set with the same picks sorts before it and has failed already. What it
must not forget is which shareable devices the request has: those stay in reach of others, but not of itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal

from aliquot.allocation.search.bounds import Need, refuted
from aliquot.allocation.search.errors import Errors
from aliquot.allocation.search.position import Position, Saved, position_of
from aliquot.allocation.search.question import Part, Question, Start
from aliquot.allocation.search.symmetry import Key, Symmetry

Picks = list[tuple[int, int, tuple[int, ...]]]
"""Per step: its number, the alternative that was chosen, the devices in order."""


@dataclass(frozen=True, slots=True)
class Stopped:
    """A fatal error: where the search stood."""

    step: int
    alternative: int
    device: int
    constraint: bool
    """A constraint stopped mode All; else the selectors have no verdict on the device."""


Outcome = Picks | Stopped | Literal["none", "gave up"]

Guide = Callable[[Position, int, int, int, list[Need]], bool]
"""(position, step, alternative, devices that it needs, all needs) -> may they all be met? False: certainly not."""


class _Retreat(Enum):
    """Why the search turns back."""

    DEAD = auto()
    EXCEEDED = auto()
    """Too many devices for the claim: other devices can't help, only another alternative."""


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
    exceeded: bool
    """All alternatives before this one needed too many devices."""
    untried: int
    key: Key
    saved: Saved
    shares: int = 0
    """Shareable devices that the request has got already: they stay in reach, but not for this request."""
    device: int = -1
    """The device that is being tried; -1: none (a request of no devices has one empty choice)."""


@dataclass(slots=True)
class DepthFirst:
    """One search. `visited` counts positions, `failed` those that were dead ends; `budget` and `patience` end it."""

    question: Question
    start: Start
    symmetry: Symmetry
    able: Sequence[tuple[int, ...]]
    """Per step: the alternatives that matter to whether it can be served."""
    errors: Errors
    budget: int
    patience: int
    """Dead ends after which it gives up."""
    guide: Guide | None = None
    visited: int = 0
    failed: int = 0
    dead: set[Key] = field(default_factory=set[Key])
    _stopped: Stopped | None = None
    _ahead: list[list[Part]] = field(default_factory=list["list[Part]"])
    _least: list[int] = field(default_factory=list[int])
    _limited: set[int] = field(default_factory=set[int])
    """Claims that could exceed the limit of devices."""

    def run(self) -> Outcome:
        """Search until the first solution, an error, the end, or the end of the budget."""
        position = position_of(self.question, self.start)
        self._ahead = [
            [step[number] for number in able] for step, able in zip(self.question.steps, self.able, strict=True)
        ]
        self._least = _least_after(self.question)
        self._limited = _limited(self.question)
        frames: list[Frame] = []
        following = self._open(position, 0, 0, 0, exceeded=True)
        while True:
            frame = following if isinstance(following, Frame) else self._turn_back(position, frames, following)
            if frame is None:
                return "none"
            if self.visited > self.budget or self.failed > self.patience:
                return "gave up"
            frames.append(frame)
            if frame.left == 0:
                frame.untried = 0
            else:
                frame.device = (frame.untried & -frame.untried).bit_length() - 1
                if not self._try(position, frame):
                    if self._stopped is not None:
                        return self._stopped
                    following = _Retreat.DEAD
                    continue
                if frame.left > 1:
                    following = self._continue(position, frame)
                    continue
            if frame.step + 1 == len(self.question.steps):
                return _picks(frames)
            following = self._enter(position, frame)

    def _turn_back(self, position: Position, frames: list[Frame], why: _Retreat) -> Frame | None:
        """Undo choices until one can be changed; None: there's nothing left to try."""
        while frames:
            frame = frames[-1]
            position.restore(frame.saved)
            if frame.device >= 0:
                frame.untried &= ~self.symmetry.interchangeable(position, frame.device)
            if frame.untried and why is _Retreat.DEAD:
                return frames.pop()
            frames.pop()
            if why is _Retreat.DEAD:
                self.dead.add(frame.key)
                self.failed += 1
            if frame.left == frame.part.need:
                exceeded = frame.exceeded and why is _Retreat.EXCEEDED
                following = self._open(position, frame.step, frame.alternative + 1, frame.given, exceeded=exceeded)
                if isinstance(following, Frame):
                    return following
                why = following
        return None

    def _try(self, position: Position, frame: Frame) -> bool:
        """Take the frame's device; False: it can't be had, or the search must stop."""
        errors = self.errors
        bit = 1 << frame.device
        if errors.unsure[frame.step][frame.alternative] & bit:
            self._stopped = Stopped(frame.step, frame.alternative, frame.device, constraint=False)
            return False
        if errors.ordered[frame.step][frame.alternative] and not position.candidates(frame.part) & bit:
            if position.reachable(frame.part) & bit and not position.joined(frame.part.match, frame.part.distinct, bit):
                self._stopped = Stopped(frame.step, frame.alternative, frame.device, constraint=True)
            return False
        position.take(frame.part, frame.device)
        return True

    def _enter(self, position: Position, frame: Frame) -> Frame | _Retreat:
        """The step after a frame's."""
        step = frame.step + 1
        claim = self.question.steps[step][0].claim
        if claim == frame.part.claim:
            return self._open(position, step, 0, frame.given + frame.part.need, exceeded=True)
        position.serve(claim)
        following = self._open(position, step, 0, 0, exceeded=True)
        return following if isinstance(following, Frame) else _Retreat.DEAD

    def _open(self, position: Position, step: int, first: int, given: int, *, exceeded: bool) -> Frame | _Retreat:
        """The first device of a request, by its first alternative (from `first` on) that isn't certainly dead."""
        question = self.question
        parts_of = question.steps
        parts = parts_of[step]
        for alternative in range(first, len(parts)):
            part = parts[alternative]
            if not part.impossible:
                safe = self.errors.safe[step] == len(parts_of) and not self.errors.at(step, alternative)
                more = self._least[step] if safe else 0
                if given + part.need + more > question.limit:
                    continue
                frame = self._frame(position, step, alternative, part.need, given, 0)
                if frame is not None:
                    frame.exceeded = exceeded
                    return frame
            exceeded = False
        first_of_claim = step == 0 or question.steps[step - 1][0].claim != parts[0].claim
        return _Retreat.EXCEEDED if exceeded and not first_of_claim else _Retreat.DEAD

    def _continue(self, position: Position, frame: Frame) -> Frame | _Retreat:
        shares = frame.shares | self.question.shareable & 1 << frame.device
        following = self._frame(
            position, frame.step, frame.alternative, frame.left - 1, frame.given, frame.device + 1, shares
        )
        return _Retreat.DEAD if following is None else following

    def _frame(
        self, position: Position, step: int, alternative: int, left: int, given: int, behind: int, shares: int = 0
    ) -> Frame | None:
        """The next device of a request, to be chosen among those from `behind` on; None: it's a dead end."""
        errors = self.errors
        part = self.question.steps[step][alternative]
        untried = self._untried(position, step, alternative) & -(1 << behind)
        if errors.ordered[step][alternative]:
            untried &= -untried
        elif untried.bit_count() < left and not errors.unsure[step][alternative] & untried:
            return None
        self.visited += 1
        counted = given if part.claim in self._limited else 0
        key = self.symmetry.key(position, step, (alternative, left, counted, shares))
        if key in self.dead:
            return None
        if not errors.at(step, alternative):
            needs = [Need((part,), left, [])] if left else []
            until = errors.safe[step]
            needs.extend(Need(parts, 0, []) for parts in self._ahead[step + 1 : until])
            if until < len(errors.least) and errors.least[until]:
                needs.append(Need(errors.least[until], 0, []))
            guide = self.guide
            if refuted(self.question, position, needs) or (
                guide is not None and not guide(position, step, alternative, left, needs)
            ):
                self.dead.add(key)
                self.failed += 1
                return None
        return Frame(
            step=step,
            alternative=alternative,
            part=part,
            left=left,
            given=given,
            exceeded=False,
            untried=untried,
            key=key,
            saved=position.save(),
            shares=shares,
        )

    def _untried(self, position: Position, step: int, alternative: int) -> int:
        """The devices that must be looked at: the candidates, and those that are an error to look at."""
        errors = self.errors
        part = self.question.steps[step][alternative]
        if errors.ordered[step][alternative]:
            return part.every
        unsure = errors.unsure[step][alternative]
        return position.candidates(part) | (unsure and unsure & position.looked_at(part))


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
