"""What kube-scheduler's allocator will answer: its search step for step, per release, defects included.

Source: k8s.io/dynamic-resource-allocation v0.36.2 and v0.37.2, structured/internal/{stable,incubating,experimental}.
Where upstream is random (stable's pool order) this is its own first order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.allocator_features import Implementation, implementation_of
from aliquot.allocation.answer import Allocation, Answer, NoAllocation
from aliquot.allocation.behaviour import V1_36, Behaviour
from aliquot.allocation.inputs import Supply
from aliquot.allocation.reference.attempt import Attempt, FatalError
from aliquot.allocation.reference.capacity import InUse
from aliquot.allocation.reference.counters import Available, Charged
from aliquot.allocation.reference.node_devices import Scenes
from aliquot.allocation.reference.search import BudgetSpentError, OutOfTimeError, Search
from aliquot.allocation.reference.validate import validate
from aliquot.allocation.rules.pools import PoolError
from aliquot.allocation.rules.results import ResultError, claim_allocation
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.claim import Claim, ClaimAllocation
from aliquot.kube.node import Node

TEN_SECONDS: Final = 50_000_000
"""How many devices kube-scheduler's allocator tests in its 10 s on a node: about 0.2 us each, measured on the Go code
with ten requests on nine devices. A slower machine gives up sooner."""

MEMORY_FROM: Final = 500
"""Steps after which dead ends are remembered: most searches end sooner, and remembering costs more than a step."""

BUDGET: Final = 150_000
"""How many devices may really be tested here in one call (some seconds); dead ends met again cost nothing."""


@dataclass(slots=True)
class Reference:
    """kube-scheduler's allocator for one scheduling attempt: one supply, then node after node."""

    supply: Supply
    selectors: Selectors
    behaviour: Behaviour = V1_36
    implementation: Implementation | None = None
    """None: the one that the features choose."""
    limit: int = TEN_SECONDS
    """Devices that kube-scheduler may test per call."""
    budget: int = BUDGET
    """Devices that may be tested here per call."""
    memory_from: int = MEMORY_FROM
    scenes: Scenes | None = None
    """What the nodes see of the supply's slices, if it's known from before."""
    _available: Available = field(init=False)

    def __post_init__(self) -> None:
        """Begins to count."""
        self._available = Available(self.supply.state, self.behaviour)

    @property
    def implemented(self) -> Implementation:
        """The implementation in use."""
        return self.implementation or implementation_of(self.supply.features)

    def prepare(self, claims: Sequence[Claim]) -> "PreparedClaims":
        """Keeps the claims: kube-scheduler's allocator validates them anew on each node."""
        return PreparedClaims(self, claims)

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        """Answers for one node; see `inputs.Engine`."""
        if self.scenes is None:
            self.scenes = Scenes(self.supply.slices, self.supply.features, self.implemented, self.behaviour)
        try:
            scene = self.scenes.of(node)
        except PoolError as error:
            return NoAllocation("fatal", f"gather pool information: {error}")
        features = self.supply.features
        attempt = Attempt(
            node=node,
            claims=claims,
            features=features,
            behaviour=self.behaviour,
            implementation=self.implemented,
            pools=scene.pools,
            candidates=scene.candidates,
            taken=frozenset(
                candidate.position for candidate in scene.candidates if candidate.id in self.supply.state.devices
            ),
            selectors=self.selectors,
            counters=Charged(self._available),
            capacity=InUse(self.supply.state, self.behaviour, features.fractional_range),
        )
        try:
            validate(attempt, self.supply)
        except FatalError as error:
            return NoAllocation("fatal", str(error))
        search = Search(attempt, self.limit, self.budget, self.memory_from)
        try:
            if search.run():
                return Allocation(self._results(attempt, search), search.steps)
        except (FatalError, ResultError) as error:
            return NoAllocation("fatal", str(error), search.steps)
        except OutOfTimeError:
            return NoAllocation("gave up", "timed out trying to allocate devices", search.steps)
        except BudgetSpentError:
            return NoAllocation("gave up", f"undecided after testing {self.budget} devices", search.steps)
        if any(pool.state == "invalid" for pool in scene.pools):
            return NoAllocation("this node only", "invalid resource pools were encountered", search.steps)
        return NoAllocation("does not fit", steps=search.steps)

    def _results(self, attempt: Attempt, search: Search) -> tuple[ClaimAllocation, ...]:
        return tuple(
            claim_allocation(
                claim,
                [held.pick() for held in attempt.held[number]],
                [search.chosen.get((number, index)) for index in range(len(claim.spec.requests))],
                self.supply.classes,
                attempt.node,
                self.supply.features,
                covers_all=self.behaviour.config_covers_all,
                implementation=self.implemented,
            )
            for number, claim in enumerate(attempt.claims)
        )


@dataclass(frozen=True, slots=True)
class PreparedClaims:
    """Claims for one engine (`inputs.Prepared`)."""

    engine: Reference
    claims: Sequence[Claim]

    def on(self, node: Node) -> Answer:
        """Answers for one node."""
        return self.engine.allocate(node, self.claims)

    def never_fatal(self) -> bool:
        """It isn't known beforehand."""
        return False
