"""The correct and fast allocator: the reference's first solution, without its defects and its exponential search.

The supply's slices, classes and features are fixed for an `Exact`'s life; what is allocated may change: `allocate`
answers and commits nothing, `commit` and `release` update the nodes that are touched.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.answer import Answer, Refusal
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.exact.compiled_claims import Compiler, Plan, recipe_name
from aliquot.allocation.exact.fatal_errors import certain
from aliquot.allocation.exact.first_path import NONE, Descent, single
from aliquot.allocation.exact.node_devices import View
from aliquot.allocation.exact.node_state import Standing, standing_of
from aliquot.allocation.exact.question_of import blamed, bound, fatal_on_node
from aliquot.allocation.exact.results import awarded
from aliquot.allocation.exact.taken import Taken, taken_of
from aliquot.allocation.inputs import Supply
from aliquot.allocation.rules.pools import PoolError, PoolKey, Pools
from aliquot.allocation.rules.results import ResultError
from aliquot.allocation.rules.selectors import Selectors
from aliquot.allocation.search.depth_first import Outcome, Picks, Stopped
from aliquot.allocation.search.first_solution import FirstSolution
from aliquot.allocation.search.question import Question, signature
from aliquot.dra.claim import Claim, ClaimAllocation
from aliquot.kube.node import Node

BUDGET: Final = 20_000
"""Positions that one call may visit."""

REMEMBERED: Final = 4096
"""Outcomes of searches that are kept."""

_NOTHING_TAKEN: Final = Taken()
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
    _outcomes: dict[object, tuple[Outcome, int]] = field(init=False, default_factory=dict[object, tuple[Outcome, int]])
    _taken: dict[PoolKey, Taken] = field(init=False, default_factory=dict[PoolKey, Taken])
    _versions: dict[str, int] = field(init=False, default_factory=dict[str, int])
    """Node -> the number of the last change of what is left there, latest last."""
    _changes: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self._pools = Pools(self.supply.slices, self.supply.features, "experimental", REPAIRED)
        self._compiler = Compiler(self.supply.classes, self.supply.features)
        self._taken = taken_of(self.supply.state)

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        """Answers for one node; all claims are solved together. Commits nothing."""
        plan = self._planned(claims)
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
                return _LACKING if isinstance(answer, str) else answer
        return self._answer(plan, place.view, standing)

    def certain(self, claims: Sequence[Claim]) -> bool:
        """Says whether no node can answer these claims with a fatal error; False if that can't be told beforehand."""
        return certain(self._planned(claims), self.supply.slices, self.selectors)

    def _planned(self, claims: Sequence[Claim]) -> Plan:
        plan = self._plan
        if plan is None or plan.claims is not claims:
            plan = self._plan = self._compiler.plan(claims)
        return plan

    def commit(self, allocations: Iterable[ClaimAllocation]) -> None:
        """Takes what claims have been allocated. Only the nodes that see these devices are looked at again."""
        self._change(allocations, given=True)

    def release(self, allocations: Iterable[ClaimAllocation]) -> None:
        """Gives back what claims were allocated."""
        self._change(allocations, given=False)

    def _change(self, allocations: Iterable[ClaimAllocation], *, given: bool) -> None:
        shared = self.supply.features.consumable_capacity
        for result in (result for allocation in allocations for result in allocation.results):
            if result.admin_access:
                continue
            key = (result.device.driver, result.device.pool)
            taken = self._taken.get(key, _NOTHING_TAKEN)
            self._taken[key] = (
                taken.with_device(result, shared=shared) if given else taken.without_device(result, shared=shared)
            )
            self._changes += 1
            for name in self._seen_by.get(key, ()):
                self._places[name].standing = None
                self._versions.pop(name, None)  # so that it comes last
                self._versions[name] = self._changes

    def changed_since(self, change: int) -> list[str]:
        """The nodes on which something was taken or given back after this change (see `changes`)."""
        names: list[str] = []
        for name in reversed(self._versions):
            if self._versions[name] <= change:
                break
            names.append(name)
        return names

    @property
    def changes(self) -> int:
        """How many devices have been taken or given back so far."""
        return self._changes

    def _look(self, node: Node) -> Place | Refusal:
        place = self._places.get(node.meta.name)
        if place is not None and place.view.node == node:
            return place
        try:
            pools = self._pools.gather_useful(node)
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
        outcome, visited = self._outcome(question, standing)
        if isinstance(outcome, Stopped):
            return Refusal("fatal", self._stopped(plan, view, outcome), visited)
        if isinstance(outcome, list):
            return self._allocation(plan, view, outcome, visited)
        if outcome == "gave up":
            return Refusal("gave up", "timed out trying to allocate devices", visited)
        return self._refusal(view, visited)

    def _outcome(self, question: Question, standing: Standing) -> tuple[Outcome, int]:
        """The search's outcome; equal nodes are searched once."""
        key = signature(question, standing.start)
        known = self._outcomes.get(key)
        if known is None:
            guided = FirstSolution(question, standing.start, self.budget)
            known = (guided.run(), guided.visited)
            if len(self._outcomes) >= REMEMBERED:
                self._outcomes.clear()
            self._outcomes[key] = known
        return known

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
