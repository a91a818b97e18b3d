"""The DRA devices that a node can use, pool by pool: what they are, who holds them, which counters are used up."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aliquot.allocation.allocator_features import implementation_of
from aliquot.allocation.answer import PoolStory
from aliquot.allocation.behaviour import behaviour_of
from aliquot.allocation.rules.device_taints import blocking_taints
from aliquot.allocation.rules.pools import Pool, PoolError, Pools
from aliquot.allocation.rules.reach import BrokenSelectorError, reaches
from aliquot.dra.claim import Claim
from aliquot.dra.device import CounterSet, Device, DeviceId, Slice
from aliquot.kube.node import Node
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import Quantity

MEMORY_SLICE = re.compile(r"memory-slice-?(\d+)$")
"""How NVIDIA's driver names the counters that stand for MIG's memory slices."""
MODELS = ("productName", "model")


@dataclass(frozen=True, slots=True)
class Seen:
    """A device as a node sees it."""

    device: Device
    claims: tuple[str, ...]
    """The claims that hold it (of one that may be shared, several)."""
    short_of: tuple[str, ...]
    """Counters of which too little is left for it, since others hold them; of a shared one, its used up capacities."""
    taints: tuple[str, ...]
    """Its taints that keep new claims away."""

    @property
    def free(self) -> bool:
        """A claim without tolerations could still be given it, alone."""
        return not (self.taints or self.short_of or (self.claims and not self.device.allow_multiple))

    @property
    def model(self) -> str:
        """What it's called, and its MIG profile; empty: its driver doesn't say."""
        told = _told(self.device)
        model = next((told[name] for name in MODELS if name in told), "")
        return " ".join(one for one in (model, told.get("profile", "")) if one)


@dataclass(frozen=True, slots=True)
class Counters:
    """A counter set: what there is of each counter, and what allocated devices took."""

    name: str
    total: Mapping[str, Quantity]
    used: Mapping[str, Quantity]
    spans: tuple[tuple[int, int, str], ...]
    """MIG: first memory slice, how many, and the held device's profile or name."""
    slices: int
    """Memory slices that there are; 0: these aren't a MIG GPU's counters."""
    held_slices: int
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PoolSeen:
    """A usable pool with its devices for this node."""

    driver: str
    pool: str
    devices: tuple[Seen, ...]
    counters: tuple[Counters, ...]


@dataclass(frozen=True, slots=True)
class Published:
    """What drivers publish for a node; `troubles`: pools that supply nothing to it, and why."""

    pools: tuple[PoolSeen, ...] = ()
    troubles: tuple[PoolStory, ...] = ()
    error: str = ""
    """Slices that no scheduler can read."""


def published(snapshot: Snapshot, node: Node, scheduler: Scheduler) -> Published:
    """The pools of a node, as this release's scheduler gathers them."""
    supply = scheduler.supply(snapshot)
    features = supply.features
    pools = Pools(supply.slices, features, implementation_of(features), behaviour_of(scheduler.kubernetes))
    holders = holders_of_devices(snapshot.claims.values())
    shares = _shares(snapshot.claims.values())
    try:
        seen = tuple(
            _pool(pool, node, holders, shares) for pool in pools.gather(node) if pool.state == "usable" and pool.here
        )
        return Published(tuple(one for one in seen if one.devices), pools.troubles(node))
    except (PoolError, BrokenSelectorError) as error:
        return Published(error=str(error))


def holders_of_devices(claims: Iterable[Claim]) -> Mapping[DeviceId, tuple[str, ...]]:
    """Device -> keys of the claims that hold it; admin access holds nothing."""
    found: dict[DeviceId, list[str]] = {}
    for claim in claims:
        for result in claim.allocation.results if claim.allocation is not None else ():
            if not result.admin_access and claim.meta.key not in found.setdefault(result.device, []):
                found[result.device].append(claim.meta.key)
    return {device: tuple(sorted(keys)) for device, keys in found.items() if keys}


def _shares(claims: Iterable[Claim]) -> Mapping[tuple[DeviceId, str], Quantity]:
    """(Device, capacity) -> what claims that share the device have of it together."""
    found: dict[tuple[DeviceId, str], Quantity] = {}
    for claim in claims:
        for result in claim.allocation.results if claim.allocation is not None else ():
            for name, amount in (result.consumed or {}).items():
                before = found.get((result.device, name))
                found[result.device, name] = amount if before is None else before + amount
    return found


def _pool(
    pool: Pool,
    node: Node,
    holders: Mapping[DeviceId, tuple[str, ...]],
    shares: Mapping[tuple[DeviceId, str], Quantity],
) -> PoolSeen:
    def claims(device: Device) -> tuple[str, ...]:
        return holders.get(DeviceId(pool.driver, pool.name, device.name), ())

    def exhausted(device: Device) -> tuple[str, ...]:
        taken = {name: shares.get((DeviceId(pool.driver, pool.name, device.name), name)) for name in device.capacity}
        return tuple(name for name, amount in taken.items() if amount and amount >= device.capacity[name].value)

    every = [device for published in (*pool.here, *pool.elsewhere) for device in published.devices]
    held = [device for device in every if claims(device)]
    used: dict[tuple[str, str], Quantity] = {}
    for device in held:
        for use in device.consumes:
            for counter, amount in use.counters.items():
                before = used.get((use.counter_set, counter))
                used[use.counter_set, counter] = amount if before is None else before + amount
    here = [device for published in pool.here for device in published.devices if _reached(published, device, node)]
    devices = tuple(
        Seen(
            device,
            claims(device),
            exhausted(device) if claims(device) else _short(device, pool.counter_sets, used),
            tuple(
                f"{taint.key}{'=' if taint.value else ''}{taint.value}:{taint.effect}"
                for taint in blocking_taints(device, ())
            ),
        )
        for device in here
    )
    sets = {use.counter_set for device in here for use in device.consumes}
    counters = tuple(
        _counters(one, used, [(device, claims(device)) for device in held])
        for name, one in sorted(pool.counter_sets.items())
        if name in sets
    )
    return PoolSeen(pool.driver, pool.name, devices, counters)


def _reached(published: Slice, device: Device, node: Node) -> bool:
    if not published.per_device_node_selection:
        return True
    return reaches(node, device.node_name, device.all_nodes, device.node_selector)


def _short(device: Device, sets: Mapping[str, CounterSet], used: Mapping[tuple[str, str], Quantity]) -> tuple[str, ...]:
    """Counters that can't give what the device needs."""
    found: list[str] = []
    for use in device.consumes:
        for counter, amount in use.counters.items():
            total = sets[use.counter_set].counters[counter]
            taken = used.get((use.counter_set, counter))
            if amount > (total if taken is None else total - taken):
                found.append(f"{counter} of {use.counter_set}")
    return tuple(found)


def _counters(
    one: CounterSet, used: Mapping[tuple[str, str], Quantity], held: Sequence[tuple[Device, tuple[str, ...]]]
) -> Counters:
    spans: list[tuple[int, int, str]] = []
    claims: list[str] = []
    for device, keys in held:
        for use in device.consumes:
            if use.counter_set == one.name:
                claims += keys
                taken = _slices(use.counters)
                if taken and taken == list(range(taken[0], taken[0] + len(taken))):
                    spans.append((taken[0], len(taken), _told(device).get("profile", device.name)))
    mine = {counter: amount for (name, counter), amount in used.items() if name == one.name}
    return Counters(
        one.name,
        one.counters,
        mine,
        tuple(sorted(spans)),
        len(_slices(one.counters)),
        len(_slices(mine)),
        tuple(sorted(set(claims))),
    )


def _slices(counters: Mapping[str, Quantity]) -> list[int]:
    """Numbers of the memory slices among counters."""
    matches = ((MEMORY_SLICE.search(name), amount) for name, amount in counters.items())
    return sorted(int(match[1]) for match, amount in matches if match is not None and amount.sign > 0)


def _told(device: Device) -> Mapping[str, str]:
    """Attributes by their names without domain, those that are text."""
    return {name.rpartition("/")[2]: one.value for name, one in device.attributes.items() if isinstance(one.value, str)}
