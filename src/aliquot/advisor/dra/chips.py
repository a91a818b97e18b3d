"""The slices of a GPU's memory, which whole GPUs and MIG devices draw on as counters: which are free."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.dra.device import Device, DeviceId
from aliquot.snapshot.snapshot import Snapshot

NUMBERED = re.compile(r"memory-slice-?(\d+)")
"""As NVIDIA's driver names the slices of a GPU's memory."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The GPU behind a set of counters."""

    name: str
    """Of the device that is all of it; else of the set."""
    slices: frozenset[str]
    free: frozenset[str]
    holders: tuple[str, ...]
    """Allocated devices that draw on it."""


def chip_of(snapshot: Snapshot, device: DeviceId, counter_set: str) -> Chip | None:
    """Of a set in the device's pool; None: it doesn't number slices of memory."""
    parts = [one for one in snapshot.slices.values() if (one.driver, one.pool) == (device.driver, device.pool)]
    newest = max((one.generation for one in parts), default=0)
    current = [one for one in parts if one.generation == newest]
    sets = [one for part in current for one in part.shared_counters if one.name == counter_set]
    totals = {name: amount for one in sets for name, amount in one.counters.items() if NUMBERED.fullmatch(name)}
    if not totals:
        return None
    allocated = snapshot.recall("allocated devices", _allocated)
    left, holders, whole = dict(totals), list[str](), ""
    for one in (device for part in current for device in part.devices):
        for use in one.consumes:
            if use.counter_set != counter_set:
                continue
            if drawn(one, counter_set) == frozenset(totals) and _kind(one) == "gpu":
                whole = one.name
            if DeviceId(device.driver, device.pool, one.name) in allocated:
                holders.append(one.name)
                for name in totals.keys() & use.counters.keys():
                    left[name] -= use.counters[name]
    free = frozenset(name for name, amount in left.items() if amount.sign > 0)
    return Chip(whole or counter_set, frozenset(totals), free, tuple(holders))


def drawn(device: Device, counter_set: str) -> frozenset[str]:
    """The slices of memory that a device needs of a set."""
    return frozenset(
        name
        for use in device.consumes
        if use.counter_set == counter_set
        for name, amount in use.counters.items()
        if NUMBERED.fullmatch(name) and amount.sign > 0
    )


def published(snapshot: Snapshot, device: DeviceId) -> Device | None:
    """As its driver published it."""
    return snapshot.recall("published devices", _published).get(device)


def _published(snapshot: Snapshot) -> Mapping[DeviceId, Device]:
    return {
        DeviceId(one.driver, one.pool, device.name): device
        for one in snapshot.slices.values()
        for device in one.devices
    }


def _allocated(snapshot: Snapshot) -> frozenset[DeviceId]:
    """By what draws on counters: who only looks (adminAccess) doesn't."""
    return frozenset(
        one.device
        for claim in snapshot.claims.values()
        if claim.allocation is not None
        for one in claim.allocation.results
        if not one.admin_access
    )


def _kind(device: Device) -> str:
    found = device.attributes.get("type")
    return str(found.value) if found is not None else ""
