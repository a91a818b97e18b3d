"""Which pools a node can use, and with what counters (resource.k8s.io/v1, ResourcePool and ResourceSlice)."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from aliquot.allocation.allocator_features import Features
from aliquot.dra.device import Device, DeviceId, Slice
from aliquot.kube.node import Node
from scenarios.oracle.nodes import reached

Key = tuple[str, str]
"""Driver, pool."""


@dataclass(frozen=True, slots=True)
class Pool:
    """One generation of a pool."""

    key: Key
    state: Literal["usable", "incomplete", "invalid"]
    slices: tuple[Slice, ...]
    """All of its slices, for whichever node."""
    here: tuple[Slice, ...]
    """Those with devices for this node."""

    def devices(self) -> dict[DeviceId, Device]:
        """Its devices, wherever they can be used."""
        return {
            DeviceId(*self.key, device.name): device
            for one in self.slices
            if not one.shared_counters
            for device in one.devices
        }

    def counters_left(self, held: Collection[DeviceId]) -> dict[tuple[str, str, str, str], int]:
        """(Driver, pool, counter set, counter) -> what these devices leave of it, in nano-units."""
        left = {
            (*self.key, counter_set.name, name): amount.nanos
            for one in self.slices
            for counter_set in one.shared_counters
            for name, amount in counter_set.counters.items()
        }
        for id_, device in self.devices().items():
            for use in device.consumes if id_ in held else ():
                for name, amount in use.counters.items():
                    left[*self.key, use.counter_set, name] -= amount.nanos
        return left


def pools_of(node: Node, slices: Sequence[Slice], features: Features) -> list[Pool]:
    """The pools that the node sees, in order: by driver and name, those with devices that are bound late at the end."""
    keys = sorted({(one.driver, one.pool) for one in slices})
    found = [pool for key in keys for pool in _pool(node, key, slices, features)]
    return sorted(found, key=lambda pool: any(device.binding_conditions for one in pool.here for device in one.devices))


def _pool(node: Node, key: Key, slices: Sequence[Slice], features: Features) -> Iterable[Pool]:
    whole = [one for one in slices if (one.driver, one.pool) == key]
    seen = [one for one in whole if _sees(node, one, features)]
    if not seen:
        return
    generation = max(one.generation for one in seen)
    current = [one for one in seen if one.generation == generation]
    announced = current[0].slice_count
    everywhere = [one for one in whole if one.generation == generation]
    if len(current) != announced and any(one.generation > generation for one in whole):
        return  # a newer generation replaces it
    state: Literal["usable", "incomplete", "invalid"] = "usable"
    if len(current) != announced and len(everywhere) != announced:
        state = "incomplete"
    elif _invalid(current, everywhere if len(current) != announced else current, features):
        state = "invalid"
    here = sorted((one for one in current if not one.shared_counters), key=lambda one: one.meta.name)
    yield Pool(key, state, tuple(everywhere), tuple(here) if state == "usable" else ())


def _sees(node: Node, one: Slice, features: Features) -> bool:
    if not features.partitionable_devices and (one.shared_counters or one.per_device_node_selection is not None):
        return False
    if one.shared_counters:
        return True
    if one.node_name or one.all_nodes or one.node_selector is not None:
        return reached(node, one)
    return bool(one.per_device_node_selection) and any(reached(node, device) for device in one.devices)


def _invalid(seen: Sequence[Slice], whole: Sequence[Slice], features: Features) -> bool:
    """A device twice, a counter set twice, or a counter that isn't there."""
    names = [device.name for one in seen if not one.shared_counters for device in one.devices]
    if len(set(names)) != len(names):
        return True
    if not features.partitionable_devices:
        return False
    sets = [counter_set for one in seen for counter_set in one.shared_counters]
    if len({one.name for one in sets}) != len(sets):
        return True
    known = {(one.name, counter) for one in sets for counter in one.counters}
    uses = [use for one in whole for device in one.devices for use in device.consumes]
    return any(use.counter_set not in {one.name for one in sets} for use in uses) or any(
        (use.counter_set, counter) not in known for use in uses for counter in use.counters
    )
