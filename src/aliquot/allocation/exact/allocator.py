"""The correct and fast allocator: the reference's first solution, without its defects and its exponential search.

It answers and commits nothing; `live` has one that follows what is committed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.answer import Answer, NoAllocation
from aliquot.allocation.exact.cluster_devices import ClusterDevices, NodeView
from aliquot.allocation.exact.compiled_claims import CompiledClaims, asked_as
from aliquot.allocation.exact.first_path import Descent
from aliquot.allocation.exact.never_fatal import never_fatal
from aliquot.allocation.exact.node_checks import device_error, fatal_on_node
from aliquot.allocation.exact.node_state import NodeState, state_of
from aliquot.allocation.exact.pool_allocations import allocations_by_pool
from aliquot.allocation.exact.question_of import question_of
from aliquot.allocation.exact.single_request import NONE
from aliquot.allocation.inputs import Supply
from aliquot.allocation.rules.pools import PoolError
from aliquot.allocation.rules.results import ResultError
from aliquot.allocation.rules.selectors import Selectors
from aliquot.allocation.search.depth_first import Outcome, Picks, Stopped
from aliquot.allocation.search.first_solution import FirstSolution, signature
from aliquot.allocation.search.question import Question
from aliquot.dra.claim import Claim
from aliquot.kube.node import Node

BUDGET: Final = 20_000
"""Positions that one call may visit."""

REMEMBERED: Final = 4096
"""Outcomes of searches that are kept."""

_LACKING: Final = NoAllocation("does not fit", steps=1)


class KnownNode:
    """A node as an engine sees it: its devices, and what is left of them (None: to be worked out)."""

    __slots__ = ("node", "state", "view")

    def __init__(self, node: Node, view: NodeView) -> None:
        self.node = node
        self.view = view
        self.state: NodeState | None = None


@dataclass(slots=True)
class PreparedClaims(CompiledClaims):
    """Claims compiled for one engine (`inputs.Prepared`)."""

    engine: "Exact" = field(init=False, repr=False, compare=False)

    def on(self, node: Node) -> Answer:
        """Answers for one node, from what the engine has left there at this moment."""
        return self.engine.answer(self, node)

    def never_fatal(self) -> bool:
        """Says whether no node can answer with a fatal error; False if that can't be told beforehand."""
        cluster = self.engine.cluster
        return never_fatal(self, cluster.slices, cluster.selectors)


class Exact:
    """An allocator over one supply."""

    __slots__ = ("_allocations", "_nodes", "_outcomes", "budget", "cluster", "supply")

    def __init__(
        self, supply: Supply, selectors: Selectors, budget: int = BUDGET, *, cluster: ClusterDevices | None = None
    ) -> None:
        """Makes an allocator.

        Args:
            supply: what there is, and what of it is allocated.
            selectors: of the cluster's version and features.
            budget: positions that one call may visit.
            cluster: the supply's devices, if another engine has looked at them already.
        """
        self.supply = supply
        self.budget = budget
        self.cluster = cluster or ClusterDevices(supply.slices, supply.classes, supply.features, selectors)
        self._allocations = allocations_by_pool(supply.state)
        self._nodes: dict[str, KnownNode] = {}
        self._outcomes: dict[object, tuple[Outcome, int]] = {}

    def prepare(self, claims: Sequence[Claim]) -> PreparedClaims:
        """Compiles claims that are to be allocated together, for as many nodes as are asked."""
        prepared = PreparedClaims(claims, [])
        prepared.engine = self
        self.cluster.compiler.compile(prepared)
        return prepared

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        """Answers for one node alone: `prepare(claims).on(node)`."""
        return self.prepare(claims).on(node)

    def answer(self, claims: CompiledClaims, node: Node) -> Answer:
        """Answers for one node; all claims are solved together. Commits nothing."""
        known = self._nodes.get(node.meta.name)
        if known is None or (known.node is not node and known.node != node):  # equal nodes are mostly the same object
            try:
                known = self._look(node)
            except PoolError as error:
                return NoAllocation("fatal", f"gather pool information: {error}")
        view = known.view
        state = known.state
        if state is None:
            state = known.state = state_of(view.devices, self._allocations)
        if claims.single is not None:
            answer = view.single.answer(claims, claims.single, state)
            if answer is not None:
                return _LACKING if isinstance(answer, str) else answer
        return self._answer(claims, view, state)

    def _look(self, node: Node) -> KnownNode:
        known = self._nodes[node.meta.name] = KnownNode(node, self.cluster.on(node))
        return known

    def _answer(self, claims: CompiledClaims, view: NodeView, state: NodeState) -> Answer:
        fatal = fatal_on_node(claims, view.finder, state) if claims.checks else claims.fatal
        if fatal:
            return NoAllocation("fatal", fatal)
        if not state.busy:
            descended = Descent(claims, view.finder, state).run()
            if isinstance(descended, list):
                return _allocation(claims, view, descended, len(descended))
            if descended is NONE:
                return _refusal(view, 1)
        question = question_of(claims, view.finder, state)
        outcome, visited = self._outcome(question, state)
        if isinstance(outcome, Stopped):
            return NoAllocation("fatal", _stopped(claims, view, outcome), visited)
        if isinstance(outcome, list):
            return _allocation(claims, view, outcome, visited)
        if outcome == "gave up":
            return NoAllocation("gave up", "timed out trying to allocate devices", visited)
        return _refusal(view, visited)

    def _outcome(self, question: Question, state: NodeState) -> tuple[Outcome, int]:
        """The search's outcome; equal nodes are searched once."""
        key = signature(question, state.start)
        known = self._outcomes.get(key)
        if known is None:
            search = FirstSolution(question, state.start, self.budget)
            known = (search.run(), search.visited)
            if len(self._outcomes) >= REMEMBERED:
                self._outcomes.clear()
            self._outcomes[key] = known
        return known


def _refusal(view: NodeView, visited: int) -> NoAllocation:
    if view.devices.invalid:
        return NoAllocation("this node only", "invalid resource pools were encountered", visited)
    return NoAllocation("does not fit", steps=visited)


def _stopped(claims: CompiledClaims, view: NodeView, where: Stopped) -> str:
    step = claims.steps[where.step]
    claim = claims.claims[step.claim]
    if where.constraint:
        return (
            f"claim {claim.meta.key}, request {asked_as(claim, step, where.alternative)[1]}: "
            f"cannot add device {view.devices.ids[where.device]} because a claim constraint would not be satisfied"
        )
    error = view.finder.eligible(step.alternatives[where.alternative]).errors[where.device]
    return device_error(claims, view.devices, (where.step, where.alternative, where.device), error)


def _allocation(claims: CompiledClaims, view: NodeView, picks: Picks, visited: int) -> Answer:
    try:
        return view.results.allocation(claims, picks, visited)
    except ResultError as error:
        return NoAllocation("fatal", str(error), visited)
