"""One attempt of the reference: everything that one call for one node works on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from aliquot.allocation.allocator_features import Features, Implementation
from aliquot.allocation.behaviour import Behaviour
from aliquot.allocation.reference.capacity import InUse, RequestedAmounts, ShareConsumption, amounts
from aliquot.allocation.reference.constraints import ConstraintState
from aliquot.allocation.reference.counters import Charged
from aliquot.allocation.rules.candidates import Candidate
from aliquot.allocation.rules.pools import Pool
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.allocation.rules.results import PickedDevice
from aliquot.allocation.rules.selectors import CelFailure, Selectors
from aliquot.dra.claim import Claim, DeviceClass, Request, SubRequest
from aliquot.kube.node import Node

_MISSING_KEY_HINT: Final = (
    ". consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check with has() for optional fields"
)
"""What 1.37 appends to the error of a missing attribute."""


class FatalError(Exception):
    """The scheduler gives up on the pod. The text is upstream's."""


@dataclass(slots=True, eq=False)
class AcceptedRequest:
    """What a request asks for itself, or one of its alternatives, once validation has accepted it."""

    claim: int
    index: int
    """Of the request in its claim."""
    request: Request
    alternative: int | None
    recipe: SubRequest
    device_class: DeviceClass
    requested: RequestedAmounts
    admin: bool = False
    """Admin access; alternatives have none."""
    alternative_name: str = ""
    """"" for a request's own recipe."""
    count: int = 0
    every: tuple[Candidate, ...] | None = None
    """Mode All: the devices it must get; None: a counted request."""
    selected: dict[int, bool] = field(default_factory=dict[int, bool])
    """Candidate position -> whether class and request select it."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldDevice:
    """A device that the search holds at the moment."""

    asked: AcceptedRequest
    candidate: Candidate
    shared: bool
    shares: ShareConsumption

    def pick(self) -> PickedDevice:
        """Returns it as a result's device; what it consumes is read now, for requests may have grown since."""
        return PickedDevice(
            request=self.asked.index,
            alternative=self.asked.alternative,
            device=self.candidate.device,
            id=self.candidate.id,
            slice=self.candidate.slice,
            shared=self.shared,
            consumed=amounts(self.shares) or None,
        )


@dataclass(slots=True, eq=False)
class Attempt:
    """The state of one call. The search changes it and takes its changes back."""

    node: Node
    claims: Sequence[Claim]
    features: Features
    behaviour: Behaviour
    implementation: Implementation
    pools: tuple[Pool, ...]
    candidates: tuple[Candidate, ...]
    taken: frozenset[int]
    """Positions of candidates that allocated claims hold."""
    selectors: Selectors
    counters: Charged
    capacity: InUse
    accepted: dict[tuple[int, int], tuple[AcceptedRequest, ...]] = field(
        default_factory=dict[tuple[int, int], "tuple[AcceptedRequest, ...]"]
    )
    """(claim, request) -> its recipe, or its alternatives in order."""
    constraints: list[tuple[ConstraintState, ...]] = field(default_factory=list["tuple[ConstraintState, ...]"])
    """Per claim."""
    picked: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    """Candidate position -> the claims of this call that hold all of it."""
    held: list[list[HeldDevice]] = field(default_factory=list["list[HeldDevice]"])
    """Per claim."""

    def busy(self, asked: AcceptedRequest, position: int) -> bool:
        """Says whether a candidate is out of reach because it's held. Admin access minds only its own claim."""
        holders = self.picked.get(position)
        if asked.admin:
            return holders is not None and asked.claim in holders
        return bool(holders) or position in self.taken

    def selectable(self, asked: AcceptedRequest, candidate: Candidate) -> bool:
        """Says whether class, request and per-device node selection select a device.

        Raises:
            FatalError: a selector has no verdict, or a node selector can't be parsed.
        """
        if candidate.device.binding_conditions and not self.features.binding_conditions:
            return False
        known = asked.selected.get(candidate.position)
        if known is None:
            known = asked.selected[candidate.position] = self._select(asked, candidate)
        return known

    def _select(self, asked: AcceptedRequest, candidate: Candidate) -> bool:
        class_owner = f"class {asked.device_class.meta.name}"
        claim_owner = f"claim {self.claims[asked.claim].meta.key}"
        if not self._all_true(class_owner, asked.device_class.selectors, candidate):
            return False
        if not self._all_true(claim_owner, asked.recipe.selectors, candidate):
            return False
        if not candidate.slice.per_device_node_selection:
            return True
        device = candidate.device
        try:
            return reaches(self.node, device.node_name, device.all_nodes, device.node_selector)
        except BrokenSelectorError as error:
            raise FatalError(f"failed to parse node selector: {error}") from error

    def _all_true(self, owner: str, selectors: Sequence[str | None], candidate: Candidate) -> bool:
        for index, expression in enumerate(selectors):
            if expression is None:
                raise FatalError(f"{owner}: selector #{index}: CEL expression empty (unsupported selector type?)")
            verdict = self.selectors.verdict(expression, candidate.id.driver, candidate.device)
            if isinstance(verdict, CelFailure):
                text = f"CEL {verdict.phase} error: {verdict.text}"
                if verdict.phase == "runtime" and self.behaviour.errors_name_devices:
                    hint = _MISSING_KEY_HINT if "no such key:" in text and _MISSING_KEY_HINT not in text else ""
                    raise FatalError(f"{owner}: selector #{index} on device {candidate.id}: {text}{hint}")
                raise FatalError(f"{owner}: selector #{index}: {text}")
            if not verdict:
                return False
        return True
