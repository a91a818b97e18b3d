"""The correct and fast allocator: the reference's first solution, without its defects and its exponential search.

The supply's slices, classes and features are fixed for an `Exact`'s life; what is allocated may change: `allocate`
answers and commits nothing, `commit` and `release` update the nodes that are touched.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.answer import Allocation, Answer, Refusal
from aliquot.allocation.behaviour import REPAIRED
from aliquot.allocation.bind import blamed, bound, fatal_on_node
from aliquot.allocation.descent import NONE, Descent
from aliquot.allocation.inputs import Supply
from aliquot.allocation.plan import Compiler, Plan, recipe_name
from aliquot.allocation.pools import PoolFault, Pools
from aliquot.allocation.results import Pick, ResultFault, claim_allocation
from aliquot.allocation.search import Picks, Search
from aliquot.allocation.selectors import Selectors
from aliquot.allocation.standing import Standing, Taken, standing_of
from aliquot.allocation.strict import Stopped, Strict, may_meet_errors
from aliquot.allocation.symmetry import Symmetry
from aliquot.allocation.view import View
from aliquot.dra.claim import Claim
from aliquot.kube.node import Node

BUDGET: Final = 20_000
"""Positions that one call may visit."""


@dataclass(slots=True)
class Exact:
    """An allocator over one supply."""

    supply: Supply
    selectors: Selectors
    budget: int = BUDGET
    _pools: Pools = field(init=False)
    _compiler: Compiler = field(init=False)
    _views: dict[str, View] = field(init=False, default_factory=dict[str, View])
    _taken: dict[tuple[str, str], Taken] = field(init=False, default_factory=dict[tuple[str, str], Taken])

    def __post_init__(self) -> None:
        self._pools = Pools(self.supply.slices, self.supply.features, "experimental", REPAIRED)
        self._compiler = Compiler(self.supply.classes, self.supply.features)
        state = self.supply.state
        keys = {(id_.driver, id_.pool) for id_ in (*state.devices, *(device for device, _ in state.shares), *state.consumed)}
        for key in keys:
            self._taken[key] = Taken(
                frozenset(id_.device for id_ in state.devices if (id_.driver, id_.pool) == key),
                frozenset(id_.device for id_, _ in state.shares if (id_.driver, id_.pool) == key),
                {id_.device: used for id_, used in state.consumed.items() if (id_.driver, id_.pool) == key},
            )

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        """Answers for one node; all claims are solved together. Commits nothing."""
        plan = self._compiler.plan(claims)
        view = self._views.get(node.name)
        if view is None:
            try:
                pools = self._pools.gather(node)
            except PoolFault as error:
                return Refusal("fatal", f"gather pool information: {error}")
            view = self._views[node.name] = View(node, pools, self.supply.features, self.selectors)
        standing = standing_of(view, self._taken)
        return self._answer(plan, view, standing)

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
        if may_meet_errors(question, standing.start):
            strict = Strict(question, standing.start, self.budget)
            outcome = strict.run()
            if isinstance(outcome, Stopped):
                return Refusal("fatal", self._stopped(plan, view, outcome), strict.visited)
            visited = strict.visited
        else:
            search = Search(question, standing.start, Symmetry(question), self.budget)
            outcome = search.run()
            visited = search.visited
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
        given: list[list[Pick]] = [[] for _ in plan.claims]
        chosen: list[list[int | None]] = [[] for _ in plan.claims]
        for number, alternative_number, devices in picks:
            step = plan.steps[number]
            alternative = step.alternatives[alternative_number]
            place = alternative_number if step.listed else None
            chosen[step.claim].append(place)
            for device in devices:
                shared = bool(view.shareable >> device & 1)
                given[step.claim].append(
                    Pick(
                        step.request,
                        place,
                        view.devices[device],
                        view.ids[device],
                        view.slices[device],
                        shared,
                        view.consumed(device, alternative.key[3]) if shared else None,
                    )
                )
        try:
            claims = tuple(
                claim_allocation(
                    claim,
                    given[number],
                    chosen[number],
                    self.supply.classes,
                    view.node,
                    self.supply.features,
                    covers_all=False,
                    implementation="experimental",
                )
                for number, claim in enumerate(plan.claims)
            )
        except ResultFault as error:
            return Refusal("fatal", str(error), visited)
        return Allocation(claims, visited)
