"""What an engine is asked: the devices of a cluster, what of them is taken, and the features that are on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.answer import Answer
from aliquot.dra.claim import Claim, DeviceClass
from aliquot.dra.device import DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.units.quantity import Quantity

RESULTS_LIMIT = 32
"""Most devices that one claim may be given (resource.k8s.io: AllocationResultsMaxSize)."""

CONSUMERS_LIMIT = 256
"""Most pods that one claim may be reserved for (ResourceClaimReservedForMaxSize)."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A claim that holds a device, and the pods that it's reserved for."""

    claim: str
    """namespace/name."""
    pods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllocatedState:
    """What allocated claims have taken, as kube-scheduler counts it."""

    devices: frozenset[DeviceId] = frozenset()
    """Taken for one claim alone."""
    shares: frozenset[tuple[DeviceId, str]] = frozenset()
    """(device, share ID) of devices that allow several allocations."""
    consumed: Mapping[DeviceId, Mapping[str, Quantity]] = field(default_factory=dict[DeviceId, Mapping[str, Quantity]])
    """Capacity that the shares of a device use, by name."""
    holders: Mapping[DeviceId, tuple[Holder, ...]] = field(default_factory=dict[DeviceId, tuple[Holder, ...]])
    """Who holds a device or a share of it; only for the story."""

    def shared_devices(self) -> frozenset[DeviceId]:
        """Devices of which a share is given away."""
        return frozenset(device for device, _ in self.shares) | frozenset(self.consumed)

    def holds(self, device: DeviceId) -> bool:
        """Says whether a device counts as allocated, whole or in part (its counters are then in use)."""
        return device in self.devices or device in self.consumed or any(taken == device for taken, _ in self.shares)


def allocated_state(claims: Iterable[Claim], *, consumable_capacity: bool) -> AllocatedState:
    """Adds up what allocated claims hold.

    Devices given for admin access aren't taken. Without consumable capacity a share counts as the whole device.
    """
    devices: set[DeviceId] = set()
    shares: set[tuple[DeviceId, str]] = set()
    consumed: dict[DeviceId, dict[str, Quantity]] = {}
    holders: dict[DeviceId, list[Holder]] = {}
    for claim in claims:
        if claim.allocation is None:
            continue
        holder = Holder(claim.meta.key, tuple(consumer.name for consumer in claim.reserved_for))
        for result in claim.allocation.results:
            if result.admin_access:
                continue
            held = holders.setdefault(result.device, [])
            if holder not in held:
                held.append(holder)
            if not consumable_capacity or result.share_id is None:
                devices.add(result.device)
                continue
            shares.add((result.device, result.share_id))
            if result.consumed is not None:
                total = consumed.setdefault(result.device, {})
                for name, quantity in result.consumed.items():
                    total[name] = total[name] + quantity if name in total else quantity
    return AllocatedState(
        frozenset(devices),
        frozenset(shares),
        consumed,
        {device: tuple(held) for device, held in holders.items()},
    )


@dataclass(frozen=True, slots=True)
class Supply:
    """All that a cluster offers, at one moment."""

    slices: tuple[Slice, ...]
    classes: Mapping[str, DeviceClass]
    state: AllocatedState = field(default_factory=AllocatedState)
    features: Features = field(default_factory=Features)


class Prepared(Protocol):
    """Claims that are to be allocated together, ready to be tried on one node after another."""

    def on(self, node: Node) -> Answer:
        """Answers for one node; all claims are solved together. Commits nothing."""
        ...

    def never_fatal(self) -> bool:
        """Says whether no node can answer with a fatal error; False if that can't be told beforehand."""
        ...


class Engine(Protocol):
    """An allocator over one supply; it may remember what it has worked out, but answers don't depend on that."""

    def prepare(self, claims: Sequence[Claim]) -> Prepared:
        """Does what is the same on every node."""
        ...

    def allocate(self, node: Node, claims: Sequence[Claim]) -> Answer:
        """Answers for one node alone: `prepare(claims).on(node)`."""
        ...
