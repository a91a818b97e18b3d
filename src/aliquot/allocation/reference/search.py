"""The reference's search: depth first, first solution wins, in the order of claims, requests, alternatives and devices.

Upstream recurses (allocateOne). Here the same walk keeps its own stack, so that no claim can exhaust Python's: one
entry for each choice that can still be changed. `steps` counts what upstream's allocateOne would count.
"""

from dataclasses import dataclass
from enum import Enum, auto

from aliquot.allocation.inputs import RESULTS_LIMIT
from aliquot.allocation.reference.attempt import AcceptedRequest, Attempt, FatalError
from aliquot.allocation.reference.dead_ends import DeadEnd, DeadEnds, SearchState
from aliquot.allocation.reference.take import GiveBack, take
from aliquot.allocation.rules.capacity import CapacityError


class OutOfTimeError(Exception):
    """kube-scheduler's time would be over: the walk would test more devices than it can in 10 s."""


class BudgetSpentError(Exception):
    """The search itself has tested as many devices as it may, and doesn't know the outcome."""


class _TurnBack(Enum):
    """Why the walk turns back."""

    NO_DEVICE = auto()
    TOO_MANY = auto()
    """More than 32 results: upstream then gives up all choices of devices, up to the nearest alternative."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walk is: the arguments of upstream's allocateOne."""

    claim: int = 0
    request: int = 0
    alternative: int = 0
    within: bool = False
    """An alternative of this request has been chosen."""
    device: int = 0
    """How many devices the request has so far."""
    start: int = 0
    """Position of the first candidate to look at."""


@dataclass(slots=True)
class _ClaimBegun:
    """Behind the end of a claim: TOO_MANY is only a plain failure for the claims before."""


@dataclass(slots=True)
class _Alternatives:
    """A prioritized list of which one alternative is being tried."""

    place: _Place
    tried: int = 0
    all_too_many: bool = True


@dataclass(slots=True)
class _AllDevice:
    """A device of a request for all; there's no other choice."""

    give_back: GiveBack


@dataclass(slots=True)
class _Device:
    """A counted request's device is being chosen."""

    place: _Place
    state: SearchState | None
    """What it began with; None: not remembered."""
    steps: int
    tests: int
    crossings: int
    """The counts when it began."""
    following: int
    """Position of the next candidate to test."""
    give_back: GiveBack | None = None


_Choice = _ClaimBegun | _Alternatives | _AllDevice | _Device


class Search:
    """One search over an attempt. After `run` has said yes, what the attempt holds is the solution."""

    def __init__(self, attempt: Attempt, limit: int, budget: int, memory_from: int) -> None:
        """Prepares a search.

        Args:
            attempt: validated, and changed by the search.
            limit: how many devices upstream's walk may test.
            budget: how many devices may really be tested here; dead ends met again cost nothing.
            memory_from: steps after which dead ends are remembered.
        """
        self.steps = 0
        self.chosen: dict[tuple[int, int], int] = {}
        """(claim, request) -> the alternative in use."""
        self._attempt = attempt
        self._tests = 0
        self._crossings = 0
        """How often a request was left behind for the next one."""
        self._limit = limit
        self._left = budget
        self._memory_from = memory_from
        self._permutes = attempt.implementation == "stable"
        self._stack: list[_Choice] = []
        self._dead_ends: DeadEnds[_TurnBack] = DeadEnds(attempt)

    def run(self) -> bool:
        """Searches; True: found.

        Raises:
            FatalError: the scheduler would give up on the pod.
            OutOfTimeError: the scheduler's time would be over.
            BudgetSpentError: too many devices were tested here.
        """
        place: _Place | None = _Place()
        while place is not None:
            outcome = self._enter(place)
            if outcome is None:
                return True
            place = outcome if isinstance(outcome, _Place) else self._turn_back(outcome)
        return False

    def _enter(self, place: _Place) -> _Place | _TurnBack | None:
        """Does one call's work and returns where to go next, why to turn back, or None when all is found."""
        self.steps += 1
        attempt = self._attempt
        if place.claim >= len(attempt.claims):
            return None
        if place.request >= len(attempt.claims[place.claim].spec.requests):
            self._crossings += 1
            self._stack.append(_ClaimBegun())
            return _Place(claim=place.claim + 1)
        alternatives = attempt.accepted[place.claim, place.request]
        if place.device == 0:
            self._crossings += 1
        if not place.within and alternatives[0].alternative is not None:
            self._stack.append(_Alternatives(place))
            return self._alternative(place, 0)
        asked = alternatives[place.alternative]
        if asked.every is not None and not asked.every:
            return _TurnBack.NO_DEVICE
        if place.device >= asked.count:
            return _Place(place.claim, place.request + 1)
        if len(attempt.held[place.claim]) + asked.count - place.device > RESULTS_LIMIT:
            return _TurnBack.TOO_MANY
        if asked.every is None:
            return self._choose(place)
        self._count(1, walked=True)
        give_back = take(attempt, asked, asked.every[place.device], must=True)
        if give_back is None:
            return _TurnBack.NO_DEVICE
        self._stack.append(_AllDevice(give_back))
        return _next_device(place, 0)

    def _alternative(self, place: _Place, alternative: int) -> _Place:
        self.chosen[place.claim, place.request] = alternative
        return _Place(place.claim, place.request, alternative, within=True)

    def _choose(self, place: _Place) -> _Place | _TurnBack:
        """Begins to choose a device, unless it's known that no choice leads anywhere."""
        state: SearchState | None = None
        if self.steps > self._memory_from and self._dead_ends.worth:
            state = self._dead_ends.state(place)
            known = self._dead_ends.recall(state)
            if known is not None:
                self.steps += known.steps
                self._crossings += not known.local
                self._count(known.tests, walked=False)
                return known.why
        choice = _Device(
            place=place,
            state=state,
            steps=self.steps,
            tests=self._tests,
            crossings=self._crossings,
            following=place.start,
        )
        following = self._next_candidate(choice)
        if following is None:
            self._remember(choice, _TurnBack.NO_DEVICE)
            return _TurnBack.NO_DEVICE
        self._stack.append(choice)
        return following

    def _turn_back(self, why: _TurnBack) -> _Place | None:
        """Undoes choices until one can be changed, and returns where that leads; None: there is no solution."""
        while self._stack:
            match choice := self._stack[-1]:
                case _ClaimBegun():
                    why = _TurnBack.NO_DEVICE
                case _Alternatives(place):
                    choice.all_too_many &= why is _TurnBack.TOO_MANY
                    choice.tried += 1
                    if choice.tried < len(self._attempt.accepted[place.claim, place.request]):
                        return self._alternative(place, choice.tried)
                    why = _TurnBack.TOO_MANY if choice.all_too_many else _TurnBack.NO_DEVICE
                case _AllDevice(give_back):
                    give_back()
                case _Device(give_back=give_back):
                    assert give_back is not None
                    give_back()
                    if why is _TurnBack.NO_DEVICE:
                        following = self._next_candidate(choice)
                        if following is not None:
                            return following
                    self._remember(choice, why)
            self._stack.pop()
        if why is _TurnBack.TOO_MANY:
            raise FatalError("allocation max size exceeded")
        return None

    def _remember(self, choice: _Device, why: _TurnBack) -> None:
        """Remembers a dead end, if it left everything as it was: upstream's defects may not have."""
        if choice.state is not None and choice.state == self._dead_ends.state(choice.place):
            local = self._crossings == choice.crossings
            dead_end = DeadEnd(why, self.steps - choice.steps, self._tests - choice.tests, local)
            self._dead_ends.record(choice.state, dead_end)

    def _next_candidate(self, choice: _Device) -> _Place | None:
        """Takes the next device that can be had, and returns where to go from there."""
        attempt, place = self._attempt, choice.place
        asked = attempt.accepted[place.claim, place.request][place.alternative]
        for position in range(choice.following, len(attempt.candidates)):
            self._count(1, walked=True)
            give_back = self._try(asked, position)
            if give_back is not None:
                choice.following, choice.give_back = position + 1, give_back
                return _next_device(place, 0 if self._permutes else position + 1)
        return None

    def _try(self, asked: AcceptedRequest, position: int) -> GiveBack | None:
        attempt, candidate = self._attempt, self._attempt.candidates[position]
        if attempt.busy(asked, position) or not attempt.selectable(asked, candidate):
            return None
        if attempt.features.consumable_capacity and (asked.requested or candidate.device.capacity):
            try:
                if not attempt.capacity.fits(asked.requested, candidate.id, candidate.device.capacity):
                    return None
            except CapacityError as error:
                where = f"claim {attempt.claims[asked.claim].meta.key}, request {asked.recipe.name}"
                raise FatalError(f"{where}: checking capacity for device {candidate.id}: {error}") from error
        return take(attempt, asked, candidate, must=False)

    def _count(self, tests: int, *, walked: bool) -> None:
        self._tests += tests
        if self._tests > self._limit:
            raise OutOfTimeError
        if walked:
            self._left -= tests
            if self._left < 0:
                raise BudgetSpentError


def _next_device(place: _Place, start: int) -> _Place:
    return _Place(
        claim=place.claim,
        request=place.request,
        alternative=place.alternative,
        within=place.within,
        device=place.device + 1,
        start=start,
    )
