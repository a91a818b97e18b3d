"""One node's devices, numbered in search order, with all that neither claims nor allocations change.

It holds until a slice, a class or the node changes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.rules.capacity import consumption_of
from aliquot.allocation.rules.pools import Pool, PoolKey
from aliquot.allocation.search.counters import Amounts, LinkedCounters, linked_counters
from aliquot.dra.device import Device, DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class SharedCapacity:
    """A shareable device's capacities: packed fields with guard bits."""

    guard: int
    full: int
    fields: tuple[tuple[str, int], ...]
    """(capacity, offset)."""

    def packed(self, amounts: Mapping[str, int]) -> int:
        """Amounts in nano-units as a packed number; none of them may exceed the device's own."""
        return sum(amounts.get(name, 0) << offset for name, offset in self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDevices:
    """A node's devices. Sets of devices are bits; a device's number is its place in `ids`, `devices` and `slices`."""

    node: Node
    pools: Sequence[Pool]
    features: Features
    ids: Sequence[DeviceId]
    devices: Sequence[Device]
    slices: Sequence[Slice]
    numbers: Mapping[PoolKey, Mapping[str, int]]
    """Usable pool -> device name -> the device's number."""
    everything: int
    invalid: bool
    """Some pool is invalid: a plain "does not fit" is then told as this node's own error."""
    unusable: bool
    """Some pool is invalid or incomplete."""
    plain: bool
    """No device consumes counters or can be shared, and no pool is invalid."""
    counters: Sequence[LinkedCounters]
    """What partitions draw on."""
    counters_of: Sequence[int]
    """Device -> the place of its counters; -1: it consumes none."""
    counters_of_pool: Mapping[PoolKey, range]
    elsewhere: Mapping[DeviceId, Amounts]
    """Consumption of devices that only other nodes can use."""
    negative_counters: int
    """Devices that draw on a counter set with a counter of less than nothing: overdrawn from the start."""
    shareable: int
    shared: Mapping[int, SharedCapacity]
    """Shareable device -> its capacities."""
    guards: Mapping[int, int]
    """Shareable device -> the guard bits of its capacities."""
    local: int
    """Devices that pin a claim to this node."""
    tainted: int
    with_policy: int
    """Devices with a capacity whose policy says what may be taken."""
    node_selecting: int
    """Devices whose own node selection counts."""
    counters_off: int
    """Devices that consume counters while partitionable devices are off."""
    binding_off: int
    """Devices with binding conditions, where those are off."""

    def consumed(self, number: int, requests: Mapping[str, Quantity]) -> dict[str, Quantity]:
        """What a share of a device takes of each of its capacities, as it's reported."""
        fractional = self.features.fractional_range
        return {
            name: consumption_of(requests.get(name), capacity, fractional=fractional).amount
            for name, capacity in self.devices[number].capacity.items()
        }


def devices_of(node: Node, pools: Sequence[Pool], features: Features) -> NodeDevices:
    """Numbers the devices of a node's usable pools.

    Args:
        node: the node.
        pools: what it sees, in search order.
        features: those that are on.
    """
    usable = [pool for pool in pools if pool.state == "usable"]
    invalid = any(pool.state == "invalid" for pool in pools)
    ids: list[DeviceId] = []
    devices: list[Device] = []
    slices: list[Slice] = []
    numbers: dict[PoolKey, dict[str, int]] = {}
    shared: dict[int, SharedCapacity] = {}
    local = tainted = with_policy = node_selecting = counters_off = binding_off = shareable = 0
    for pool in usable:
        names = numbers[pool.key] = {}
        for published in pool.here:
            for device in published.devices:
                number = names[device.name] = len(ids)
                bit = 1 << number
                ids.append(DeviceId(pool.driver, pool.name, device.name))
                devices.append(device)
                slices.append(published)
                source: Device | Slice = published
                if published.per_device_node_selection:
                    node_selecting |= bit
                    source = device
                if source.node_name is not None or device.binds_to_node:
                    local |= bit
                if device.taints and features.device_taints:
                    tainted |= bit
                if device.consumes and not features.partitionable_devices:
                    counters_off |= bit
                if device.binding_conditions and not features.binding_conditions:
                    binding_off |= bit
                if features.consumable_capacity:
                    if any(capacity.policy is not None for capacity in device.capacity.values()):
                        with_policy |= bit
                    if device.allow_multiple:
                        shareable |= bit
                        shared[number] = _shared_capacity(device)
    gathered = _counters_of(usable, numbers, len(ids)) if features.partitionable_devices else _Counters([-1] * len(ids))
    return NodeDevices(
        node=node,
        pools=pools,
        features=features,
        ids=ids,
        devices=devices,
        slices=slices,
        numbers=numbers,
        everything=(1 << len(ids)) - 1,
        invalid=invalid,
        unusable=len(usable) < len(pools),
        plain=not gathered.counters and not shared and not invalid,
        counters=gathered.counters,
        counters_of=gathered.counters_of,
        counters_of_pool=gathered.counters_of_pool,
        elsewhere=gathered.elsewhere,
        negative_counters=gathered.negative,
        shareable=shareable,
        shared=shared,
        guards={number: capacity.guard for number, capacity in shared.items()},
        local=local,
        tainted=tainted,
        with_policy=with_policy,
        node_selecting=node_selecting,
        counters_off=counters_off,
        binding_off=binding_off,
    )


@dataclass(slots=True)
class _Counters:
    """The counters of a node's pools, while they're gathered; see `NodeDevices`."""

    counters_of: list[int]
    counters: list[LinkedCounters] = field(default_factory=list[LinkedCounters])
    counters_of_pool: dict[PoolKey, range] = field(default_factory=dict[PoolKey, range])
    elsewhere: dict[DeviceId, Amounts] = field(default_factory=dict[DeviceId, Amounts])
    negative: int = 0


def _counters_of(pools: Sequence[Pool], numbers: Mapping[PoolKey, Mapping[str, int]], count: int) -> _Counters:
    found = _Counters([-1] * count)
    for pool in pools:
        names = numbers[pool.key]
        consuming = [device for published in pool.here for device in published.devices if device.consumes]
        uses = [(names[device.name], amounts) for device in consuming if (amounts := _amounts(device))]
        if not uses:
            continue
        others = {
            DeviceId(pool.driver, pool.name, device.name): _amounts(device)
            for published in pool.elsewhere
            for device in published.devices
            if device.consumes
        }
        found.elsewhere.update(others)
        sets = {
            name: {counter: max(amount.nanos, 0) for counter, amount in counter_set.counters.items()}
            for name, counter_set in pool.counter_sets.items()
        }
        first = len(found.counters)
        found.counters.extend(linked_counters(sets, uses, list(others.values())))
        found.counters_of_pool[pool.key] = range(first, len(found.counters))
        for place in found.counters_of_pool[pool.key]:
            for number in found.counters[place].use:
                found.counters_of[number] = place
        negative = {
            name
            for name, counter_set in pool.counter_sets.items()
            if any(amount.sign < 0 for amount in counter_set.counters.values())
        }
        for device in consuming if negative else ():
            if any(use.counter_set in negative for use in device.consumes):
                found.negative |= 1 << names[device.name]
    return found


def _amounts(device: Device) -> Amounts:
    """A device's consumption of counters, in nano-units."""
    amounts: dict[tuple[str, str], int] = {}
    for use in device.consumes:
        for counter, amount in use.counters.items():
            key = (use.counter_set, counter)
            amounts[key] = amounts.get(key, 0) + max(amount.nanos, 0)
    return amounts


def _shared_capacity(device: Device) -> SharedCapacity:
    fields: list[tuple[str, int]] = []
    guard = full = offset = 0
    for name in sorted(device.capacity):
        nanos = max(device.capacity[name].value.nanos, 0)
        fields.append((name, offset))
        full += nanos << offset
        offset += nanos.bit_length()
        guard |= 1 << offset
        offset += 1
    return SharedCapacity(guard, full, tuple(fields))
