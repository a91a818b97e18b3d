"""What allocations are judged against: one node, the devices that it can use, the claims, what is taken."""

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.inputs import AllocatedState, Supply
from aliquot.allocation.rules.selectors import Selectors
from aliquot.dra.claim import Claim, DeviceClass, SubRequest
from aliquot.dra.device import Device, DeviceId, Slice
from aliquot.kube.node import Node
from scenarios.oracle.nodes import reached
from scenarios.oracle.pools import Pool, pools_of


@dataclass(frozen=True, slots=True)
class World:
    """A question to an allocator, taken apart."""

    node: Node
    claims: tuple[Claim, ...]
    classes: dict[str, DeviceClass]
    features: Features
    state: AllocatedState
    selectors: Selectors
    slices: tuple[Slice, ...]
    """All that there are."""
    pools: tuple[Pool, ...]
    """As the node sees them."""
    devices: dict[DeviceId, Device]
    """Those that the node can use, in order."""

    held: frozenset[DeviceId]
    """Devices that are allocated, whole or in part: their counters are paid for."""
    left: dict[tuple[str, str, str, str], int]
    """(Driver, pool, counter set, counter) -> what allocated devices leave of it, in nano-units."""

    @classmethod
    def of(cls, supply: Supply, node: Node, claims: Sequence[Claim], selectors: Selectors) -> "World":
        """Gather what the node can use."""
        pools = tuple(pools_of(node, supply.slices, supply.features))
        devices = {
            DeviceId(*pool.key, device.name): device
            for pool in pools
            for one in pool.here
            for device in one.devices
            if not one.per_device_node_selection or reached(node, device)
        }
        usable = [pool for pool in pools if pool.state == "usable" and supply.features.partitionable_devices]
        held = frozenset(id_ for pool in pools for id_ in pool.devices() if supply.state.holds(id_))
        left = {counter: amount for pool in usable for counter, amount in pool.counters_left(held).items()}
        return cls(
            node=node,
            claims=tuple(claims),
            classes=dict(supply.classes),
            features=supply.features,
            state=supply.state,
            selectors=selectors,
            slices=supply.slices,
            pools=pools,
            devices=devices,
            held=held,
            left=left,
        )

    def shareable(self, id_: DeviceId) -> bool:
        """Whether several requests may have a part of the device."""
        return self.features.consumable_capacity and self.devices[id_].allow_multiple

    def selected(self, recipe: SubRequest, id_: DeviceId) -> bool:
        """Whether class and request select the device, and it has the capacities that are asked for."""
        device = self.devices[id_]
        expressions = (*self.classes[recipe.class_name].selectors, *recipe.selectors)
        return (
            (not device.binding_conditions or self.features.binding_conditions)
            and all(self.selectors.verdict(each or "", id_.driver, device) is True for each in expressions)
            and set(recipe.capacity or {}) <= set(device.capacity)
        )


@dataclass(frozen=True, slots=True)
class Given:
    """A device that is given to a request's recipe."""

    claim: int
    request: int
    alternative: int | None
    """Which of the alternatives; None: there are none."""
    recipe: SubRequest
    device: DeviceId

    @property
    def admin(self) -> bool:
        """By admin access: to look at a device, whoever has it. Alternatives have none."""
        return self.alternative is None and self.recipe.admin_access is True
