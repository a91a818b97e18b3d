"""kube-scheduler's DynamicResources filter: what becomes of a pod's claims, once for the pod and then node by node.

Source: kube-scheduler 1.36.2, dynamicresources/dynamicresources.go (PreEnqueue, PreFilter, Filter, PostFilter). The
texts are the scheduler's own. `scheduling` puts them into its messages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from aliquot.allocation.allocator_features import features_of
from aliquot.allocation.answer import Allocation, Answer
from aliquot.allocation.claims.allocated import PLUGIN, binding_failed, error_of, reachable
from aliquot.allocation.claims.extended import (
    IN_MEMORY,
    claim_for,
    classes_by_resource,
    earlier_claim,
    is_extended,
    new_claim,
)
from aliquot.allocation.claims.pod_claims import NotReady, claims_of, is_reserved_for
from aliquot.allocation.inputs import Engine, Prepared, Supply, allocated_state
from aliquot.allocation.rules.device_taint_rules import tainted_slices
from aliquot.dra.claim import Claim, DeviceClass, Request
from aliquot.kube.node import Node
from aliquot.kube.pod import ExtendedResourceClaim, Pod
from aliquot.kube.release import Kubernetes
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

CANNOT_ALLOCATE = "cannot allocate all claims"
NOT_ON_NODE = "resourceclaim not available on the node"


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
        if claim.allocation is None:
            problem = _unallocated(claim, offer.classes, offer.kubernetes)
            if problem is not None:
                return problem
        elif error := error_of(claim, pod):
            return Fault(error)
    supply = offer.supply()
    wanted = {name: amount for name, amount in request.items() if amount > 0 and is_extended(name)}
    return PodCheck(
        pod=pod,
        claims=claims,
        extended=extended,
        wanted=wanted,
        served=served,
        engine=make_engine(supply),
        binding_conditions=supply.features.binding_conditions,
    )


def _served(snapshot: Snapshot, kubernetes: Kubernetes) -> Mapping[str, DeviceClass]:
    if not kubernetes.on("DRAExtendedResource"):
        return {}
    return snapshot.recall("classes by resource", lambda there: classes_by_resource(there.classes.values()))


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
    return [(f"{request.name}/{each.name}", each.class_name) for each in request.first_available]


class AskedFor(NamedTuple):
    """What the allocator is asked for, on all nodes that serve the same extended resources themselves."""

    claims: tuple[Claim, ...]
    prepared: Prepared
    mapping: ExtendedResourceClaim | None
    """Which container uses which request of the claim for extended resources."""


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
    _asked: dict[tuple[str, ...], AskedFor] = field(default_factory=dict[tuple[str, ...], AskedFor])
    """The extended resources that a node must serve by devices -> what the allocator is asked for there."""
    fresh: tuple[Claim, ...] = field(init=False)
    """Those to be allocated on every node."""
    _allocated: tuple[Claim, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.fresh = tuple(claim for claim in self.claims if claim.allocation is None)
        self._allocated = tuple(claim for claim in self.claims if claim.allocation is not None)

    def asked_for(self, by_devices: tuple[str, ...] = ()) -> AskedFor:
        """What the allocator is asked for on nodes that must serve these extended resources by devices."""
        known = self._asked.get(by_devices)
        if known is None:
            claims, mapping = self.fresh, None
            if self.extended is not None:
                served = {name: self.served[name] for name in by_devices}
                extended, mapping = claim_for(self.extended, self.pod, served)
                claims = (*claims, extended)
            known = self._asked[by_devices] = AskedFor(claims, self.engine.prepare(claims), mapping)
        return known

    def check(self, load: NodeLoad) -> str | Fault:
        """Returns why a node can't serve the claims, in the scheduler's words; "": it can."""
        asked = self._asked_on(load)
        if isinstance(asked, str):
            return asked
        node = load.node
        unreachable = [
            claim
            for claim in self._allocated
            if not reachable(claim, node) or (self.binding_conditions and binding_failed(claim))
        ]
        self._elsewhere += [claim for claim in unreachable if claim not in self._elsewhere]
        if asked is not None and asked.claims:
            answer = self.answers.get(node.name)
            if answer is None:
                answer = self.answers[node.name] = asked.prepared.on(node)
            problem = _problem(node, answer)
            if problem:
                return problem
        return NOT_ON_NODE if unreachable else ""

    def to_allocate(self, load: NodeLoad) -> tuple[Claim, ...]:
        """Returns the claims that the allocator is asked for on a node, in order."""
        asked = self._asked_on(load)
        return asked.claims if isinstance(asked, AskedFor) else self.fresh

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

    def _asked_on(self, load: NodeLoad) -> AskedFor | str | None:
        """Returns what is asked for on a node; None: nothing; or why the claim for extended resources can't be had."""
        if self.extended is None:
            return self._asked.get(()) or self.asked_for()
        if self.extended.spec.requests:
            return "cannot schedule extended resource claim"
        by_devices: list[str] = []
        for name in self.wanted:
            allocatable = load.node.allocatable.get(name)
            if name in self.served and not allocatable:
                by_devices.append(name)
            elif allocatable is None:
                return "cannot fit resource"
        if not by_devices and not self.claims:
            return None
        asked = self.asked_for(tuple(by_devices))
        if asked.mapping is not None:
            self.mappings[load.node.name] = asked.mapping
        return asked


Checked = PodCheck | Unschedulable | NotReady | Fault | None
"""What a look at a pod's claims gives; None: it has none, and no resource of it is served by devices."""


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
