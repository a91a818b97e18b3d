"""The cause where no node has the devices that the claims mean, whoever holds what: nothing matches, or too few do."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from aliquot.advisor.causes.cause import Cause, listed, nodes_named, number
from aliquot.advisor.causes.supplied import Supplied, too_small
from aliquot.advisor.dra.claims import DRIVER, wanted_drivers
from aliquot.advisor.dra.strays import strays
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


MOST = 4
"""Alternatives that are told one by one."""


def no_match(snapshot: Snapshot, pod: Pod, by_node: Mapping[str, Sequence[Supplied]]) -> Cause:
    """Which request finds too few devices of its kind anywhere, and what was probably meant."""
    requests: dict[str, list[tuple[str, Supplied]]] = {}
    whole: dict[tuple[str, str], list[str]] = {}
    for node, told in by_node.items():
        for one in told:
            name = one.request.request
            requests.setdefault(name, []).append((node, one))
            alternatives = whole.setdefault((one.request.claim, name.partition("/")[0]), [])
            if name not in alternatives:
                alternatives.append(name)
    drivers = wanted_drivers(snapshot, pod)
    if not snapshot.slices or not any(one.request.devices for several in requests.values() for _, one in several):
        return _no_slices(snapshot, drivers)
    for (_, request), names in whole.items():
        if any(len(one.meant) >= one.wanted for name in names for _, one in requests[name]):
            continue  # one alternative is enough
        name, several = names[0], requests[names[0]]
        published = {one.driver for one in snapshot.slices.values()}
        if len(names) > 1 and not (drivers and not drivers & published):
            return _no_alternative(snapshot, request, {name: requests[name] for name in names})
        most_node, most = max(several, key=lambda one: len(one[1].meant))
        if most.meant:
            sentence = (
                f"Request {name} wants {most.wanted} devices on one node, more than any node has: the most is "
                f"{len(most.meant)} ({most_node})."
            )
            if small := too_small(most.request):
                verb = "has" if len(small) == 1 else "have"
                sentence += f" {number(len(small), 'other')} there {verb} too little {small[0][1].capacity}."
            return Cause("larger-than-any", sentence, (most_node, name))
        if drivers and not drivers & published:
            return _no_slices(snapshot, drivers)
        return _too_small(name, several) or _unmatched(snapshot, name, [one for _, one in several])
    first = next(iter(requests), "")
    return Cause(
        "no-matching-device", f"No node has devices for all requests at once (the first is {first}).", (first,)
    )


def _no_slices(snapshot: Snapshot, drivers: set[str]) -> Cause:
    named = listed(sorted(drivers)) or "the driver of its class"
    gone = strays(snapshot, drivers)
    if gone:
        return _stray(snapshot, drivers, gone)
    others = sorted({one.driver for one in snapshot.slices.values()})
    there = f"; there are slices of {listed(others)}" if others else ""
    sentence = f"No node publishes devices of {named} (no ResourceSlice of it is in the input{there})."
    return Cause("no-slices", sentence, tuple(sorted(drivers)))


def _stray(snapshot: Snapshot, drivers: set[str], gone: Mapping[str, str]) -> Cause:
    """Devices are published, of nodes that aren't there."""
    theirs = [
        one for one in snapshot.slices.values() if one.node_name in gone and (not drivers or one.driver in drivers)
    ]
    named = listed(sorted({one.driver for one in theirs}))
    count = sum(len(one.devices) for one in theirs)
    meant = [f"{other} is probably meant by {name}" for name, other in gone.items() if other]
    tail = f": {listed(meant, 2)}" if meant else ""
    which = "no node of the input has that name" if len(gone) == 1 else "no nodes of the input have these names"
    sentence = (
        f"The ResourceSlices of {named} ({number(count, 'device')}) name {nodes_named(list(gone))} as their node, and "
        f"{which}{tail}."
    )
    return Cause("no-slices", sentence, (*list(gone)[:3], *[one for one in gone.values() if one][:3], *sorted(drivers)))


def _no_alternative(
    snapshot: Snapshot, request: str, alternatives: Mapping[str, Sequence[tuple[str, Supplied]]]
) -> Cause:
    """Why each alternative of a request fits nowhere, in a few words each."""
    objects: list[str] = []
    told = [
        f"{name.partition('/')[2]}: {shortly(snapshot, several)}" for name, several in list(alternatives.items())[:MOST]
    ]
    unmatched = True
    for name, several in alternatives.items():
        node, most = max(several, key=lambda one: len(one[1].meant))
        unmatched = unmatched and not most.meant
        objects += [name, *([node] if most.meant else [])]
    count = len(alternatives)
    lead = "Neither alternative" if count == 2 else f"None of the {count} alternatives"
    more = f"; and {count - MOST} more" if count > MOST else ""
    sentence = f"{lead} of request {request} fits: {'; '.join(told)}{more}."
    return Cause("no-matching-device" if unmatched else "larger-than-any", sentence, tuple(objects[:6]))


def shortly(snapshot: Snapshot, several: Sequence[tuple[str, Supplied]]) -> str:
    """Why a request, or one alternative of it, fits nowhere: `asks for 2 devices on one node, the most is 1 (a)`."""
    node, most = max(several, key=lambda one: (one[1].usable, len(one[1].meant)))
    where, largest = max(several, key=lambda one: len(one[1].meant))
    asks = f"asks for {number(largest.wanted, 'device')}"
    if largest.meant:
        if len(largest.meant) < largest.wanted:
            verb = "is" if len(largest.meant) == 1 else "are"
            most_of = ", the most of any node" if len(several) > 1 else ""
            return f"{asks}, and there {verb} {len(largest.meant)} on {where}{most_of}"
        verb = "is" if most.usable == 1 else "are"
        return f"{asks}, and {most.usable} of {len(most.meant)} {verb} free on {node}"
    small = _largest(several)
    if small is not None:
        return f"asks for {small.asked} of {small.capacity} of one device, and the most is {small.most} ({small.where})"
    ruled = _ruled_out(snapshot, [one for _, one in several])
    if ruled is None:
        return f"{asks}, and there is none"
    whose = "" if ruled.owner == "request" else f"DeviceClass {ruled.owner.removeprefix('class ')}, which asks for "
    return f"no device matches {whose}{ruled.term}{ruled.hint}"


@dataclass(frozen=True, slots=True)
class Largest:
    """The device that has most of what no device has enough of."""

    capacity: str
    asked: Quantity
    most: Quantity
    device: str
    node: str

    @property
    def where(self) -> str:
        """`gpu-0 on node-1`."""
        return f"{self.device} on {self.node}"


def _largest(several: Sequence[tuple[str, Supplied]]) -> Largest | None:
    """None: that isn't what rules the devices out."""
    found = [
        Largest(why.capacity, why.consumes, why.total, device.device.device, node)
        for node, one in several
        for device, why in too_small(one.request)
        if why.total is not None
    ]
    return max(found, key=lambda one: one.most, default=None)


def _too_small(name: str, several: Sequence[tuple[str, Supplied]]) -> Cause | None:
    """A capacity of which more is asked for than any device has."""
    found = _largest(several)
    if found is None:
        return None
    sentence = (
        f"Request {name} asks for {found.asked} of {found.capacity} of one device, and no device has that much: the "
        f"largest has {found.most} ({found.where})."
    )
    return Cause("larger-than-any", sentence, (found.capacity, found.device, found.node, name))


@dataclass(frozen=True, slots=True)
class RuledOut:
    """What rules the devices out that come nearest."""

    owner: str
    term: str
    hint: str
    devices: int


def _unmatched(snapshot: Snapshot, name: str, several: Sequence[Supplied]) -> Cause:
    """All devices are ruled out by a selector: by which, and what comes nearest."""
    ruled = _ruled_out(snapshot, several)
    if ruled is None:
        return Cause("no-matching-device", f"No device is there for request {name}.", (name,))
    of_class = ruled.owner.removeprefix("class ")
    whose = f"the selector of request {name}" if ruled.owner == "request" else f"DeviceClass {of_class}"
    none = "The only device doesn't match" if ruled.devices == 1 else f"None of {ruled.devices} devices matches"
    sentence = f"{none} {whose}: {ruled.term}{ruled.hint}."
    return Cause("no-matching-device", sentence, (of_class, name))


def _ruled_out(snapshot: Snapshot, several: Sequence[Supplied]) -> RuledOut | None:
    every = [
        (falses, device.device)
        for one in several
        for device in one.request.devices
        if (falses := [why for why in device.reasons if isinstance(why, SelectorFalse)])
    ]
    if not every:
        return None
    # the devices that come nearest tell which condition is too much: those that fail least, and last
    best = min(_met(falses) for falses, _ in every)
    closest = [(falses[0], device) for falses, device in every if _met(falses) == best]
    owner, term = closest[0][0].owner, closest[0][0].term
    devices = len(closest) if owner != "request" else sum(1 for falses, _ in every if falses[0].owner == owner)
    hint = nearest_words(snapshot, term, {device for _, device in closest} if len(closest) < len(every) else None)
    return RuledOut(owner, term, hint, devices)


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
    named = DRIVER.search(term)
    if named is not None:
        drivers = sorted({one.driver for one in snapshot.slices.values()})
        likely = meant(named[2], drivers) if named[2] not in drivers else None
        if likely is not None:
            return f" ({likely} is probably meant)"
        return f" (there are devices of {listed(drivers)})" if drivers else ""
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
