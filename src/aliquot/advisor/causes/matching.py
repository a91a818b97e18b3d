"""The cause where no node has the devices that the claims mean, whoever holds what: nothing matches, or too few do."""

import re
from collections.abc import Collection, Mapping, Sequence

from aliquot.advisor.causes.cause import Cause, listed, number
from aliquot.advisor.causes.supplied import Supplied
from aliquot.advisor.dra.claims import wanted_drivers
from aliquot.advisor.nearest import meant, nearest
from aliquot.allocation.answer import SelectorFalse
from aliquot.dra.device import Device, DeviceId
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot
from aliquot.units.quantity import Quantity

EQUALS = re.compile(r"""device\.attributes\[\s*["']([^"']+)["']\s*\]\.(\w+)\s*==\s*(["'])([^"']*)\3""")
COMPARES = re.compile(
    r"""device\.(?P<table>\w+)\[\s*["'](?P<domain>[^"']+)["']\s*\]\.(?P<name>\w+)\.(?:compareTo|isGreaterThan|isLessThan)\("""
    r"""\s*quantity\(\s*["'](?P<amount>[^"']+)["']"""
)


def no_match(snapshot: Snapshot, pod: Pod, by_node: Mapping[str, Sequence[Supplied]]) -> Cause:
    """Which request finds too few devices of its kind anywhere, and what was probably meant."""
    requests: dict[str, list[tuple[str, Supplied]]] = {}
    for node, told in by_node.items():
        for one in told:
            requests.setdefault(one.request.request, []).append((node, one))
    drivers = wanted_drivers(snapshot, pod)
    if not snapshot.slices or not any(one.request.devices for several in requests.values() for _, one in several):
        return _no_slices(snapshot, drivers)
    for name, several in requests.items():
        most_node, most = max(several, key=lambda one: len(one[1].meant))
        if len(most.meant) >= most.wanted:
            continue
        if most.meant:
            sentence = (
                f"Request {name} wants {most.wanted} devices on one node, more than any node has: the most is "
                f"{len(most.meant)} ({most_node})."
            )
            return Cause("larger-than-any", sentence, (most_node, name))
        published = {one.driver for one in snapshot.slices.values()}
        if drivers and not drivers & published:
            return _no_slices(snapshot, drivers)
        return _unmatched(snapshot, name, [one for _, one in several])
    first = next(iter(requests), "")
    return Cause(
        "no-matching-device", f"No node has devices for all requests at once (the first is {first}).", (first,)
    )


def _no_slices(snapshot: Snapshot, drivers: set[str]) -> Cause:
    named = listed(sorted(drivers)) or "the driver of its class"
    others = sorted({one.driver for one in snapshot.slices.values()})
    there = f"; there are slices of {listed(others)}" if others else ""
    sentence = f"No node publishes devices of {named} (no ResourceSlice of it is in the input{there})."
    return Cause("no-slices", sentence, tuple(sorted(drivers)))


def _unmatched(snapshot: Snapshot, name: str, several: Sequence[Supplied]) -> Cause:
    """All devices are ruled out by a selector: by which, and what comes nearest."""
    every = [
        (falses, device.device)
        for one in several
        for device in one.request.devices
        if (falses := [why for why in device.reasons if isinstance(why, SelectorFalse)])
    ]
    if not every:
        return Cause("no-matching-device", f"No device is there for request {name}.", (name,))
    devices = len(every)
    # the devices that come nearest tell which condition is too much: those that fail least, and last
    best = min(_met(falses) for falses, _ in every)
    closest = [(falses[0], device) for falses, device in every if _met(falses) == best]
    owner, term = closest[0][0].owner, closest[0][0].term
    hint = nearest_words(snapshot, term, {device for _, device in closest} if len(closest) < len(every) else None)
    whose = f"the selector of request {name}" if owner == "request" else f"DeviceClass {owner.removeprefix('class ')}"
    sentence = f"None of {number(devices, 'device')} matches {whose}: {term}{hint}."
    return Cause("no-matching-device", sentence, (owner.removeprefix("class "), name))


def _met(falses: Sequence[SelectorFalse]) -> tuple[bool, int, int]:
    """Smaller where a device meets more of what is asked."""
    first = falses[0]
    return first.owner != "request", len(falses), -first.expression.find(first.term)


def nearest_words(snapshot: Snapshot, term: str, closest: Collection[DeviceId] | None = None) -> str:
    """What devices have where the term asks for something else; `closest`: those that meet all that comes before it."""
    equal = EQUALS.search(term)
    if equal is not None:
        values = _values(snapshot, equal[1], equal[2])
        if values:
            near = nearest(equal[4], values)
            likely = meant(equal[4], values) if equal[4] not in values else None
            tail = f"; {likely} is probably meant" if likely is not None else ""
            return f" (devices have {listed(near)}{tail})"
        return f" (no device has the attribute {equal[2]} in {equal[1]})"
    compared = COMPARES.search(term)
    if compared is not None:
        amounts = _capacities(snapshot, compared["domain"], compared["name"], closest)
        if compared["table"] == "attributes" and amounts:
            return f" ({compared['name']} is a capacity of these devices, not an attribute)"
        if amounts:
            whose = "any device" if closest is None else "any that meets the rest"
            return f" (the most that {whose} has is {max(amounts)})"
    return ""


def _devices(snapshot: Snapshot) -> list[tuple[str, Device]]:
    return [(one.driver, device) for one in snapshot.slices.values() for device in one.devices]


def _values(snapshot: Snapshot, domain: str, name: str) -> set[str]:
    found: set[str] = set()
    for driver, device in _devices(snapshot):
        for key in (f"{domain}/{name}", *([name] if driver == domain else [])):
            if key in device.attributes and isinstance(device.attributes[key].value, str):
                found.add(str(device.attributes[key].value))
    return found


def _capacities(snapshot: Snapshot, domain: str, name: str, near: Collection[DeviceId] | None = None) -> list[Quantity]:
    return [
        device.capacity[key].value
        for one in snapshot.slices.values()
        for device in one.devices
        for key in (f"{domain}/{name}", *([name] if one.driver == domain else []))
        if key in device.capacity and (near is None or DeviceId(one.driver, one.pool, device.name) in near)
    ]
