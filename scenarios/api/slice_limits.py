"""What the API server has against ResourceSlices: a judge on plain JSON, which knows nothing of how slices are packed.

Written from the validation of resource.k8s.io/v1 as 1.34, 1.35, 1.36 and 1.37 have it, and from what a pool promises.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from scenarios.drivers import Json

LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
IDENTIFIER: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")
VERSION: Final = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?")
KINDS: Final[dict[str, type]] = {"string": str, "version": str, "int": int, "bool": bool}


def complaints(slices: Sequence[Json], minor: int, *, dropped: bool = True) -> list[str]:
    """Everything that 1.`minor` would refuse of the slices of one pool.

    Args:
        slices: whole objects.
        minor: of the server.
        dropped: also name what the server drops while its gates have their defaults.
    """
    found: list[str] = []
    for one in slices:
        found += [f"{one['metadata']['name']}: {text}" for text in _slice(one["spec"], minor)]
        if one["apiVersion"] != "resource.k8s.io/v1" or not _subdomain(one["metadata"]["name"], 253):
            found.append(f"{one['metadata']['name']}: not an object of this API")
    return [*found, *_pool([one["spec"] for one in slices], minor), *(_dropped(slices, minor) if dropped else ())]


def _subdomain(text: str, most: int) -> bool:
    return len(text) <= most and SUBDOMAIN.fullmatch(text) is not None


def _slice(spec: Json, minor: int) -> Iterator[str]:
    devices: list[Json] = spec.get("devices", [])
    sets: list[Json] = spec.get("sharedCounters", [])
    if not _subdomain(spec["driver"], 63) or not _subdomain(spec["pool"]["name"], 253) or not spec.get("nodeName"):
        yield "driver, pool or node is no name"
    special = any(device.get("taints") or device.get("consumesCounters") for device in devices)
    if len(devices) > (64 if special and minor >= 35 else 128):
        yield f"{len(devices)} devices"
    for kind, names in (("device", devices), ("counter set", sets)):
        if any(count > 1 for count in Counter(one["name"] for one in names).values()):
            yield f"a {kind} twice"
    for one in sets:
        if LABEL.fullmatch(one["name"]) is None or not 1 <= len(one["counters"]) <= 32:
            yield f"counter set {one['name']} with {len(one['counters'])} counters"
    if minor >= 35:
        if sets and devices:
            yield "counter sets beside devices"
        if len(sets) > 8:
            yield f"{len(sets)} counter sets"
    else:
        yield from _together(devices, sets)
    for device in devices:
        yield from (f"{device['name']}: {text}" for text in _device(device, minor))


def _together(devices: list[Json], sets: list[Json]) -> Iterator[str]:
    """Until 1.34: counters in the slice of who draws on them."""
    counters = {one["name"]: set(one["counters"]) for one in sets}
    if sum(map(len, counters.values())) > 32:
        yield "more than 32 counters"
    uses = [use for device in devices for use in device.get("consumesCounters", [])]
    if sum(len(use["counters"]) for use in uses) > 1024:
        yield "more than 1024 uses of counters"
    if any(not set(use["counters"]) <= counters.get(use["counterSet"], set()) for use in uses):
        yield "a counter of another slice"
    if any(sum(len(use["counters"]) for use in device.get("consumesCounters", [])) > 32 for device in devices):
        yield "a device with more than 32 counters"


def _device(device: Json, minor: int) -> Iterator[str]:
    attributes, capacity = device.get("attributes", {}), device.get("capacity", {})
    if LABEL.fullmatch(device["name"]) is None:
        yield "no name for a device"
    if len(attributes) + len(capacity) > 32:
        yield f"{len(attributes)} attributes and {len(capacity)} capacities"
    for name in (*attributes, *capacity):
        domain, slash, identifier = name.rpartition("/")
        if IDENTIFIER.fullmatch(identifier) is None or (slash and not _subdomain(domain, 63)):
            yield f"no name for an attribute or a capacity: {name}"
    for name, attribute in attributes.items():
        ((kind, value),) = attribute.items()
        if type(value) is not KINDS.get(kind) or len(str(value)) > 64:
            yield f"{name} is {attribute}"
        if kind == "version" and VERSION.fullmatch(value) is None:
            yield f"{name}: {value} is no semantic version"
    if minor >= 35 and len(device.get("consumesCounters", [])) > 2:
        yield "more than 2 counter sets"
    for use in device.get("consumesCounters", []):
        if not 1 <= len(use["counters"]) <= 32:
            yield f"{len(use['counters'])} counters of {use['counterSet']}"
    taints: list[Json] = device.get("taints", [])
    if len(taints) > (16 if minor >= 35 else 4):
        yield f"{len(taints)} taints"
    effects = {"NoSchedule", "NoExecute", *(["None"] if minor >= 35 else [])}
    if any(taint["effect"] not in effects for taint in taints):
        yield "an effect that isn't known"
    if any(count > 1 for count in Counter((taint["key"], taint["effect"]) for taint in taints).values()):
        yield "two taints with one key and effect"


def _pool(specs: Sequence[Json], minor: int) -> Iterator[str]:
    for part in ("driver", "nodeName"):
        if len({spec[part] for spec in specs}) > 1:
            yield f"more than one {part}"
    pools: set[tuple[Any, ...]] = {tuple(sorted(spec["pool"].items())) for spec in specs}
    if len(pools) != 1 or specs[0]["pool"]["resourceSliceCount"] != len(specs):
        yield f"{len(specs)} slices that say {pools}"
    devices = [device for spec in specs for device in spec.get("devices", [])]
    sets = {one["name"]: one["counters"] for spec in specs for one in spec.get("sharedCounters", [])}
    if len({device["name"] for device in devices}) != len(devices):
        yield "a device in two slices"
    if minor >= 35 and len(sets) != sum(len(spec.get("sharedCounters", [])) for spec in specs):
        yield "a counter set in two slices"
    for device in devices:
        for use in device.get("consumesCounters", []):
            if not set(use["counters"]) <= set(sets.get(use["counterSet"], ())):
                yield f"{device['name']} draws on counters that the pool doesn't have"


def _dropped(slices: Sequence[Json], minor: int) -> Iterator[str]:
    if minor >= 36:
        return
    for one in slices:
        devices: list[Json] = one["spec"].get("devices", [])
        if one["spec"].get("sharedCounters") or any(device.get("consumesCounters") for device in devices):
            yield f"{one['metadata']['name']}: counters are dropped"
        if any(device.get("taints") for device in devices):
            yield f"{one['metadata']['name']}: taints are dropped"
