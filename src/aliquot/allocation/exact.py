"""The correct and fast allocator: the reference's first solution, without its defects and its exponential search.

The supply's slices, classes and features are fixed for an `Exact`'s life; what is allocated may change: `allocate`
answers and commits nothing, `commit` and `release` update the nodes that are touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.answer import Answer, Refusal
from aliquot.allocation.award import awarded
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.bind import blamed, bound, fatal_on_node
from aliquot.allocation.descent import NONE, Descent, single
from aliquot.allocation.guided import Guided
from aliquot.allocation.inputs import Supply
from aliquot.allocation.plan import Compiler, Plan, recipe_name
from aliquot.allocation.pools import PoolError, PoolKey, Pools
from aliquot.allocation.results import ResultError
from aliquot.allocation.search import Picks, Stopped
from aliquot.allocation.selectors import Selectors
from aliquot.allocation.standing import Standing, Taken, standing_of, taken_of
from aliquot.allocation.view import View
from aliquot.dra.claim import Claim
from aliquot.kube.node import Node

BUDGET: Final = 20_000
"""Positions that one call may visit."""

_LACKING: Final = Refusal("does not fit", steps=1)


@dataclass(slots=True)
class Place:
    """A node: its devices, and what is left of them (None: not worked out since the last change)."""

    view: View
    standing: Standing | None = None


@dataclass(slots=True)
class Exact:
    """An allocator over one supply."""

    supply: Supply
    selectors: Selectors
    budget: int = BUDGET
    _plan: Plan | None = field(init=False, default=None)
    """The claims of the latest call, compiled: the next one asks for the same pod on another node."""
    _pools: Pools = field(init=False)
    _compiler: Compiler = field(init=False)
    _places: dict[str, Place] = field(init=False, default_factory=dict[str, Place])
    _seen_by: dict[PoolKey, dict[str, None]] = field(init=False, default_factory=dict[PoolKey, dict[str, None]])
    """Pool -> the nodes that see devices of it."""
    _taken: dict[tuple[str, str], Taken] = field(init=False, default_factory=dict[tuple[str, str], Taken])

    def __post_init__(self) -> None:
        self._pools = Pools(self.supply.slices, self.supply.features, "experimental", REPAIRED)
        self._compiler = Compiler(self.supply.classes, self.supply.features)
        self._taken = taken_of(self.supply.state)

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        """Answers for one node; all claims are solved together. Commits nothing."""
        plan = self._plan
        if plan is None or plan.claims is not claims:
            plan = self._plan = self._compiler.plan(claims)
        place = self._places.get(node.meta.name)
        if place is None or place.view.node is not node:
            seen = self._look(node)
            if isinstance(seen, Refusal):
                return seen
            place = seen
        standing = place.standing or self._stand(place)
        if plan.single is not None:
            answer = single(plan, plan.single, place.view, standing)
            if answer is not None:
                return _LACKING if answer is NONE else answer
        return self._answer(plan, place.view, standing)

    def _look(self, node: Node) -> Place | Refusal:
        place = self._places.get(node.meta.name)
        if place is not None and place.view.node == node:
            return place
        try:
            pools = self._pools.gather(node)
        except PoolError as error:
            return Refusal("fatal", f"gather pool information: {error}")
        place = self._places[node.meta.name] = Place(View(node, pools, self.supply.features, self.selectors))
        for key in place.view.numbers:
            self._seen_by.setdefault(key, {})[node.meta.name] = None
        return place

    def _stand(self, place: Place) -> Standing:
        standing = place.standing = standing_of(place.view, self._taken)
        return standing

    def _answer(self, plan: Plan, view: View, standing: Standing) -> Answer:
        fatal = fatal_on_node(plan, view, standing) if plan.checks else plan.fatal
        if fatal:
            return Refusal("fatal", fatal)
        if not standing.busy:
            descended = Descent(plan, view, standing).run()
            if isinstance(descended, list):
                return self._allocation(plan, view, descended, len(descended))
            if descended is NONE:
                return self._refusal(view, 1)
        question = bound(plan, view, standing)
        guided = Guided(question, standing.start, self.budget)
        outcome = guided.run()
        visited = guided.visited
        if isinstance(outcome, Stopped):
            return Refusal("fatal", self._stopped(plan, view, outcome), visited)
        if isinstance(outcome, list):
            return self._allocation(plan, view, outcome, visited)
        if outcome == "gave up":
            return Refusal("gave up", "timed out trying to allocate devices", visited)
        return self._refusal(view, visited)

    def _refusal(self, view: View, visited: int) -> Refusal:
        if view.invalid:
            return Refusal("this node only", "invalid resource pools were encountered", visited)
        return Refusal("does not fit", steps=visited)

    def _stopped(self, plan: Plan, view: View, where: Stopped) -> str:
        step = plan.steps[where.step]
        claim = plan.claims[step.claim]
        if where.constraint:
            return (
                f"claim {claim.meta.key}, request {recipe_name(claim, step, where.alternative)[1]}: "
                f"cannot add device {view.ids[where.device]} because a claim constraint would not be satisfied"
            )
        blame = view.candidates(step.alternatives[where.alternative]).errors[where.device]
        return blamed(plan, view, where.step, where.alternative, where.device, blame)

    def _allocation(self, plan: Plan, view: View, picks: Picks, visited: int) -> Answer:
        try:
            return awarded(plan, view, picks, self.supply.classes, visited)
        except ResultError as error:
            return Refusal("fatal", str(error), visited)
