"""Why a node's devices can't serve a pod's claims: the allocator's story, found for a pod and put into words."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.allocation.answer import (
    Allocation,
    AttributeMissing,
    CapacityShort,
    CapacityUnknown,
    ConstraintBroken,
    CounterShort,
    DeviceReason,
    DeviceStory,
    FeatureOff,
    Held,
    NodeNotSelected,
    PoolStory,
    RequestStory,
    SelectorError,
    SelectorFalse,
    Story,
    Tainted,
)
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.claims.pod_check import Gates, PodCheck, prepare, supply_of
from aliquot.allocation.engines import ExactEngines, SelectorStore
from aliquot.allocation.inputs import Supply
from aliquot.allocation.story.conflict import smallest_conflict
from aliquot.allocation.story.tell import tell
from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot

STORIES_TOLD = 24
"""Nodes whose devices are told one by one: a story looks at every device, and alike nodes have alike stories."""


@dataclass(frozen=True, slots=True)
class ClaimDesk:
    """Asks the allocators about a pod's claims."""

    release: Release
    gates: tuple[tuple[str, bool], ...]
    store: SelectorStore
    exact: ExactEngines

    @property
    def switches(self) -> Gates:
        """The scheduler's gates, as `allocation` takes them."""
        return Gates(str(self.release), self.gates)

    def supply(self, snapshot: Snapshot) -> Supply:
        """What the cluster offers."""
        return supply_of(snapshot, self.switches)

    def claims(self, snapshot: Snapshot, pod: Pod, node: str) -> tuple[Claim, ...]:
        """The claims that are to be allocated for a pod on a node; empty if it has none, or they aren't there."""
        check = prepare(snapshot, pod, self.switches, lambda supply: self.exact(supply, str(self.release)))
        return check.to_allocate(snapshot.load(node)) if isinstance(check, PodCheck) else ()

    def story(self, snapshot: Snapshot, pod: Pod, node: str) -> Story | None:
        """Every rule against every device of a node; None where the pod has no claims to allocate there."""
        claims = self.claims(snapshot, pod, node)
        if not claims:
            return None
        supply = self.supply(snapshot)
        selectors = self.store.of(str(self.release), supply.features)
        return tell(supply, snapshot.nodes[node], claims, selectors, behaviour_of(str(self.release)))

    def conflict(self, snapshot: Snapshot, pod: Pod, node: str) -> tuple[str, ...]:
        """A smallest set of requirements that the node can't meet together, in words."""
        claims = self.claims(snapshot, pod, node)
        engines = ExactEngines(self.store)
        return smallest_conflict(
            self.supply(snapshot), snapshot.nodes[node], claims, lambda supply: engines(supply, str(self.release))
        )

    def possible(self, snapshot: Snapshot, pod: Pod, nodes: Iterable[str]) -> tuple[str, Allocation] | None:
        """The first of these nodes where a correct allocator finds devices for the claims, and which."""
        engine = self.exact(self.supply(snapshot), str(self.release))
        for node in nodes:
            claims = self.claims(snapshot, pod, node)
            if not claims:
                continue
            answer = engine.prepare(claims).on(snapshot.nodes[node])
            if isinstance(answer, Allocation):
                return node, answer
        return None


def words(reason: DeviceReason) -> str:
    """One reason against a device."""
    match reason:
        case SelectorFalse(owner=owner, term=term):
            return f"{owner} wants {term}"
        case SelectorError(owner=owner, index=index, text=text):
            return f"CEL error in {owner}, selector #{index}: {text}"
        case Held(claim=claim, pods=pods):
            users = f" of {', '.join(pods)}" if pods else ""
            return f"held by claim {claim}{users}" if claim else "allocated already"
        case Tainted(taint=taint):
            value = f"={taint.value}" if taint.value else ""
            return f"device taint {taint.key}{value}:{taint.effect}, not tolerated by the claim"
        case CounterShort(counter_set=name, counter=counter, available=left, claims=claims) if left.sign < 0:
            by_whom = f" by {', '.join(claims)}" if claims else ""
            return f"{counter} of {name} is overdrawn{by_whom}: {left} left"
        case CounterShort(counter_set=name, counter=counter, needed=needed, available=available, held_by=holders):
            users = f" (used by {', '.join(one.device for one in holders)})" if holders else ""
            return f"{counter} of {name}: needs {needed}, {available} left{users}"
        case CapacityShort(capacity=capacity, consumes=consumes, available=available, broken_policy=broken):
            return (
                f"capacity {capacity}: {consumes} isn't an amount that it gives"
                if broken
                else f"capacity {capacity}: needs {consumes}, {available} left"
            )
        case CapacityUnknown(capacity=capacity):
            return f"has no capacity {capacity}"
        case AttributeMissing(constraint=constraint, attribute=attribute):
            return f"has no {attribute}, which {constraint} compares"
        case ConstraintBroken(constraint=constraint, attribute=attribute, value=value, values=values):
            others = (
                f"others could only have {', '.join(values)}" if values else "the other requests have no device left"
            )
            return f"{constraint} {attribute}: it has {value}, {others}"
        case NodeNotSelected():
            return "not reachable from this node"
        case FeatureOff(feature=feature):
            return f"needs the feature {feature}, which is off"


def pool_words(pool: PoolStory) -> str:
    """A pool that supplies nothing."""
    name = f"{pool.driver}/{pool.pool}" if pool.driver else "the node's pools"
    return f"pool {name} is {pool.state}: {pool.detail}" if pool.detail else f"pool {name} is {pool.state}"


@dataclass(frozen=True, slots=True)
class DeviceGroup:
    """Devices of one request with the same reasons."""

    devices: tuple[str, ...]
    reasons: tuple[str, ...]


def grouped(request: RequestStory) -> tuple[DeviceGroup, ...]:
    """The devices that can't serve a request, those with the same reasons together.

    Devices that a selector rules out come last, and nothing else is said of them: they weren't meant.
    """
    found: dict[tuple[str, ...], list[str]] = {}
    for device in sorted(request.devices, key=lambda one: _not_meant(one) is not None):
        if device.reasons:
            ruled_out = _not_meant(device)
            told = (words(ruled_out),) if ruled_out is not None else tuple(map(words, device.reasons))
            found.setdefault(told, []).append(device.device.device)
    return tuple(DeviceGroup(tuple(devices), reasons) for reasons, devices in found.items())


def _not_meant(device: DeviceStory) -> SelectorFalse | None:
    return next((one for one in device.reasons if isinstance(one, SelectorFalse)), None)
