"""kube-scheduler's DynamicResources filter: what becomes of a pod's claims, once for the pod and then node by node.

Source: kube-scheduler 1.36.2, dynamicresources/dynamicresources.go (PreEnqueue, PreFilter, Filter, PostFilter). The
texts are the scheduler's own. `scheduling` puts them into its messages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from aliquot.allocation.answer import Allocation, Answer
from aliquot.allocation.claims.extended import (
    IN_MEMORY,
    claim_for,
    classes_by_resource,
    earlier_claim,
    is_extended,
    new_claim,
)
from aliquot.allocation.claims.pod_claims import NotReady, claims_of, full, is_reserved_for
from aliquot.allocation.features import features_of
from aliquot.allocation.inputs import CONSUMERS_LIMIT, Engine, Supply, allocated_state
from aliquot.allocation.rules.reach import BrokenSelectorError, selects
from aliquot.allocation.rules.taint_rules import tainted_slices
from aliquot.dra.claim import Claim, DeviceClass, Request
from aliquot.kube.node import Node
from aliquot.kube.pod import ExtendedResourceClaim, Pod
from aliquot.kube.release import Kubernetes
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

PLUGIN = "DynamicResources"
CANNOT_ALLOCATE = "cannot allocate all claims"
NOT_ON_NODE = "resourceclaim not available on the node"
NOTHING_TO_DEALLOCATE = "no new claims to deallocate"


@dataclass(frozen=True, slots=True)
class Unschedulable:
    """PreFilter says no for all nodes; a change of claims or classes may help."""

    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """The attempt ends with reason SchedulerError and this message."""

    message: str


MakeEngine = Callable[[Supply], Engine]


def supply_of(snapshot: Snapshot, kubernetes: Kubernetes) -> Supply:
    """Returns what the cluster offers: slices with the taints of rules, classes, and what claims hold."""

    def make(there: Snapshot) -> Supply:
        features = features_of(kubernetes)
        slices = tuple(there.slices.values())
        if features.device_taints and (kubernetes.on("DRADeviceTaintRules") or there.taint_rules):
            slices = tainted_slices(slices, tuple(there.taint_rules.values()))
        state = allocated_state(there.claims.values(), consumable_capacity=features.consumable_capacity)
        return Supply(slices, there.classes, state, features)

    return snapshot.recall(("supply of devices", kubernetes), make)


def prepare(snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes, make_engine: MakeEngine) -> "Checked":
    """Looks at a pod's claims once; None: it has none, and no resource of it is served by devices.

    Args:
        snapshot: the cluster.
        pod: the pod. Its claims must exist (`pod_claims.generate` makes those that the controller would).
        kubernetes: the scheduler's release and gates.
        make_engine: makes the allocator for a supply.
    """
    return prepare_in(offer_of(snapshot, kubernetes), pod, snapshot.claims, make_engine)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a cluster has for claims, whatever claims there are."""

    kubernetes: Kubernetes
    classes: Mapping[str, DeviceClass]
    served: Mapping[str, DeviceClass]
    """Extended resource -> the class that serves it."""
    supply: Callable[[], Supply]
    """Asked for only if a pod has claims."""


def offer_of(snapshot: Snapshot, kubernetes: Kubernetes) -> Offer:
    """Returns what a snapshot has for claims."""
    return Offer(kubernetes, snapshot.classes, _served(snapshot, kubernetes), lambda: supply_of(snapshot, kubernetes))


def prepare_in(offer: Offer, pod: Pod, there: Mapping[str, Claim], make_engine: MakeEngine) -> "Checked":
    """Looks at a pod's claims once, as `prepare` does; `there` has at least all claims of the pod."""
    claims = claims_of(pod, there)
    if isinstance(claims, NotReady):
        return claims
    request = effective_request(pod)
    served = offer.served
    extended: Claim | None = None
    if any(amount > 0 and name in served and is_extended(name) for name, amount in request.items()):
        extended = earlier_claim(pod, there.values()) or new_claim(pod)
    if not claims and extended is None:
        return None
    for claim in claims:
        problem = (
            _unallocated(claim, offer.classes, offer.kubernetes) if claim.allocation is None else _allocated(claim, pod)
        )
        if problem is not None:
            return problem
    supply = offer.supply()
    wanted = {name: amount for name, amount in request.items() if amount > 0 and is_extended(name)}
    return PodCheck(pod, claims, extended, wanted, served, make_engine(supply), supply.features.binding_conditions)


def _served(snapshot: Snapshot, kubernetes: Kubernetes) -> Mapping[str, DeviceClass]:
    if not kubernetes.on("DRAExtendedResource"):
        return {}
    return snapshot.recall("classes by resource", lambda there: classes_by_resource(there.classes.values()))


def _allocated(claim: Claim, pod: Pod) -> Fault | None:
    """Nothing is in the way of sharing a claim, but for the API server's limit, met when the pod is bound."""
    assert claim.allocation is not None
    if full(claim, pod):
        return Fault(
            f'running PreBind plugin "{PLUGIN}": add reservation to claim {claim.meta.key}: '
            f'ResourceClaim.resource.k8s.io "{claim.meta.name}" is invalid: status.reservedFor: '
            f"Too many: {CONSUMERS_LIMIT + 1}: must have at most {CONSUMERS_LIMIT} items"
        )
    selector = claim.allocation.node_selector
    if selector is not None:
        try:
            selects(selector, Node(claim.meta))
        except BrokenSelectorError as error:
            return Fault(f'running PreFilter plugin "{PLUGIN}": {error}')
    return None


def _unallocated(
    claim: Claim, classes: Mapping[str, DeviceClass], kubernetes: Kubernetes
) -> Unschedulable | Fault | None:
    for request in claim.spec.requests:
        where = f"resource claim {claim.meta.key}, request {request.name}"
        if request.exactly is None and not request.first_available:
            return Unschedulable(f"{where}: unknown request type")
        if request.exactly is None and not kubernetes.on("DRAPrioritizedList"):
            return Unschedulable(f"{where}: has subrequests, but the DRAPrioritizedList feature is disabled")
        for name, class_name in _class_names(request):
            if not class_name:
                return Fault(f'running PreFilter plugin "{PLUGIN}": request {name}: unsupported request type')
            if class_name not in classes:
                return Unschedulable(f"request {name}: device class {class_name} does not exist")
    return None


def _class_names(request: Request) -> list[tuple[str, str]]:
    if request.exactly is not None:
        return [(request.name, request.exactly.class_name)]
    return [(f"{request.name}/{one.name}", one.class_name) for one in request.first_available]


@dataclass(slots=True)
class PodCheck:
    """A pod's claims, ready to be tried on nodes. It remembers each node's answer."""

    pod: Pod
    claims: tuple[Claim, ...]
    """By name and from templates."""
    extended: Claim | None
    """For extended resources; its requests depend on the node."""
    wanted: Mapping[str, int]
    """Extended resources that the pod asks for."""
    served: Mapping[str, DeviceClass]
    engine: Engine
    binding_conditions: bool = True
    """DRADeviceBindingConditions and DRAResourceClaimDeviceStatus are on."""
    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    """Node -> what the allocator said; absent where it wasn't asked."""
    mappings: dict[str, ExtendedResourceClaim] = field(default_factory=dict[str, ExtendedResourceClaim])
    """Node -> which container uses which request of the claim for extended resources."""
    _elsewhere: list[Claim] = field(default_factory=list[Claim])
    """Allocated claims that some node can't reach."""
    fresh: tuple[Claim, ...] = field(init=False)
    """Those to be allocated: the same value for all nodes, so that the engine compiles them once."""

    def __post_init__(self) -> None:
        self.fresh = tuple(claim for claim in self.claims if claim.allocation is None)

    def check(self, load: NodeLoad) -> str | Fault:
        """Returns why a node can't serve the claims, in the scheduler's words; "": it can."""
        extended = self._extended_claim(load)
        if isinstance(extended, str):
            return extended
        if extended is None and not self.claims:
            return ""
        node = load.node
        unreachable = [claim for claim in self.claims if not _reachable(claim, node) or self._failed(claim)]
        self._elsewhere += [claim for claim in unreachable if claim not in self._elsewhere]
        claims = self._to_allocate(extended)
        if claims:
            answer = self.answers.get(node.name)
            if answer is None:
                answer = self.answers[node.name] = self.engine.allocate(node, claims)
            problem = _problem(node, answer)
            if problem:
                return problem
        return NOT_ON_NODE if unreachable else ""

    def to_allocate(self, load: NodeLoad) -> tuple[Claim, ...]:
        """Returns the claims that the allocator is asked for on a node, in order."""
        extended = self._extended_claim(load)
        return self._to_allocate(extended if isinstance(extended, Claim) else None)

    @property
    def post_filter(self) -> str:
        """What the plugin says after no node was found. It may then free a claim that only this pod holds."""
        for claim in self._elsewhere:
            held_by = claim.reserved_for
            if not held_by or (len(held_by) == 1 and is_reserved_for(claim, self.pod)):
                return "deallocation of ResourceClaim completed"
        if self.extended is not None and self.extended.meta.name != IN_MEMORY:
            return "deletion of ResourceClaim completed"
        return "still not schedulable"

    def _failed(self, claim: Claim) -> bool:
        """Says whether a driver reports that a device can't be bound: a binding failure condition is True.

        The scheduler also gives up on a claim that isn't ready after ten minutes; that needs a clock, and isn't told.
        """
        if claim.allocation is None or not self.binding_conditions:
            return False
        status = {one.device: one.conditions for one in claim.devices}
        return any(
            status.get(result.device, {}).get(condition) == "True"
            for result in claim.allocation.results
            if result.binding_conditions
            for condition in result.binding_failure_conditions
        )

    def _to_allocate(self, extended: Claim | None) -> tuple[Claim, ...]:
        return self.fresh if extended is None else (*self.fresh, extended)

    def _extended_claim(self, load: NodeLoad) -> Claim | str | None:
        """Returns the claim for what this node must serve by devices; None: nothing; or why it can't be had."""
        if self.extended is None:
            return None
        if self.extended.spec.requests:
            return "cannot schedule extended resource claim"
        by_devices: dict[str, DeviceClass] = {}
        for name in self.wanted:
            allocatable = load.node.allocatable.get(name)
            if name in self.served and not allocatable:
                by_devices[name] = self.served[name]
            elif allocatable is None:
                return "cannot fit resource"
        if not by_devices and not self.claims:
            return None
        claim, mapping = claim_for(self.extended, self.pod, by_devices)
        self.mappings[load.node.name] = mapping
        return claim


Checked = PodCheck | Unschedulable | NotReady | Fault | None
"""What a look at a pod's claims gives; None: it has none, and no resource of it is served by devices."""


def _reachable(claim: Claim, node: Node) -> bool:
    selector = claim.allocation.node_selector if claim.allocation is not None else None
    return selector is None or selects(selector, node)


def _problem(node: Node, answer: Answer) -> str | Fault:
    if isinstance(answer, Allocation):
        return ""
    match answer.category:
        case "does not fit":
            return CANNOT_ALLOCATE
        case "this node only":
            return answer.error
        case "gave up":
            return Fault(f'running "{PLUGIN}" filter plugin: node {node.name}: {answer.error}')
        case "fatal":
            return Fault(f'running "{PLUGIN}" filter plugin: {answer.error}')
