"""The cause where a pod's claims can't be allocated: read from the stories of the nodes that were looked at closely."""

from collections.abc import Iterator, Mapping, Sequence

from aliquot.advisor.case import device_requests
from aliquot.advisor.causes.cause import Cause, Kind, nodes_named, number
from aliquot.advisor.causes.device_clauses import clauses
from aliquot.advisor.causes.matching import no_match, shortly
from aliquot.advisor.causes.supplied import Supplied, supplied
from aliquot.advisor.causes.usable import left_over, nothing_usable, sift
from aliquot.allocation.answer import (
    AttributeMissing,
    CapacityShort,
    ConstraintBroken,
    CounterShort,
    DeviceReason,
    DeviceStory,
    FeatureOff,
    Held,
    Story,
    Tainted,
)
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.dynamic_resources import DYNAMIC_RESOURCES
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.snapshot import Snapshot

KINDS: tuple[tuple[type, Kind], ...] = (
    (Tainted, "device-taint"),
    (CounterShort, "partitioned"),
    (Held, "held"),
    (CapacityShort, "held"),
    (ConstraintBroken, "constraint"),
    (AttributeMissing, "constraint"),
    (FeatureOff, "feature"),
)


def of_devices(
    snapshot: Snapshot,
    pod: Pod,
    stories: Mapping[str, Story],
    reasons: Mapping[str, Sequence[Reason]],
    whole: Mapping[str, Story],
) -> Cause | None:
    """None: the stories don't tell. `whole`: of nodes with incomplete pools, as if those were published whole."""
    by_node = {name: list(map(supplied, story.requests)) for name, story in stories.items()}
    incomplete = _incomplete(snapshot, stories, whole)
    if incomplete is not None and not any(_enough(told) for told in by_node.values()):
        return incomplete
    able = [name for name, told in by_node.items() if told and _enough(told)]
    if not able:
        return no_match(snapshot, pod, by_node)
    what = _what(by_node[able[0]])

    def room(node: Node) -> bool:
        return all(one.usable >= one.wanted for one in _first_alternatives(by_node[node.name]))

    sifted = sift([snapshot.nodes[name] for name in able], reasons)
    if not sifted.usable:
        return nothing_usable(snapshot, pod, sifted, reasons, what, room)
    usable = [node.name for node in sifted.usable]
    also = _counted_there(snapshot, pod, usable) + left_over(sifted, room, reasons)
    nobody = "No node" if len(usable) == len(able) else "No node that it may use"
    alone = by_node.keys() >= _publishing(snapshot, by_node[usable[0]])
    return _among(snapshot, {name: by_node[name] for name in usable}, reasons, what, also, nobody, alone=alone)


def _publishing(snapshot: Snapshot, told: Sequence[Supplied]) -> set[str]:
    """Nodes with devices of the drivers whose devices these requests mean."""
    drivers = {device.device.driver for one in told for device in one.meant}
    return {one.node_name for one in snapshot.slices.values() if one.node_name and one.driver in drivers}


def _counted_there(snapshot: Snapshot, pod: Pod, nodes: Sequence[str]) -> str:
    """The counted devices that it asks for beside its claims, and how many are free."""
    told: list[str] = []
    for name in device_requests(pod):
        best = max(nodes, key=lambda node, name=name: snapshot.load(node).free(name))  # type: ignore[misc]
        total = snapshot.nodes[best].allocatable.get(name, 0)
        if not total:
            continue  # a DeviceClass serves it
        told.append(f" Of {name} {max(0, snapshot.load(best).free(name))} of {total} are free on {best}.")
    return "".join(told)


def _first_alternatives(told: Sequence[Supplied]) -> Iterator[Supplied]:
    """Of each request the alternative that is nearest to being served: one is enough."""
    requests: dict[tuple[str, str], list[Supplied]] = {}
    for one in told:
        requests.setdefault((one.request.claim, one.request.request.partition("/")[0]), []).append(one)
    for several in requests.values():
        yield min(several, key=lambda one: (one.wanted - one.usable, one.wanted - len(one.meant)))


def _enough(told: Sequence[Supplied]) -> bool:
    """The node has as many devices as were meant, whoever holds them."""
    return all(len(one.meant) >= one.wanted for one in _first_alternatives(told))


def _what(told: Sequence[Supplied]) -> str:
    needs = list(_first_alternatives(told))
    if len(needs) == 1:
        one = needs[0]
        count = "all devices" if one.request.wanted is None else number(one.wanted, "device")
        return f"{count} for request {one.request.request}"
    return f"the devices of {number(len(needs), 'request')}"


def _incomplete(snapshot: Snapshot, stories: Mapping[str, Story], whole: Mapping[str, Story]) -> Cause | None:
    """A pool that counts as none, and whose devices, as far as they're published, would do."""
    for node, story in stories.items():
        would = node not in whole or _enough(list(map(supplied, whole[node].requests)))
        for pool in story.pools:
            if pool.state in ("incomplete", "invalid"):
                there = any(
                    one.devices
                    for one in snapshot.slices.values()
                    if (one.driver, one.pool) == (pool.driver, pool.pool)
                )
                if there and not would:
                    continue
                state = "isn't published whole" if pool.state == "incomplete" else "is invalid"
                nothing = f"so none of its devices counts on {node}"
                sentence = f"Pool {pool.pool} of {pool.driver} {state} ({pool.detail}), {nothing}."
                return Cause("incomplete-pool", sentence, (pool.pool, pool.driver, node))
    return None


def _among(
    snapshot: Snapshot,
    by_node: Mapping[str, Sequence[Supplied]],
    reasons: Mapping[str, Sequence[Reason]],
    what: str,
    also: str,
    nobody: str,
    *,
    alone: bool,
) -> Cause | None:
    """On the nodes that have such devices and that the pod may use; `alone`: no other node has such devices."""
    short = {
        name: [one for one in _first_alternatives(told) if one.usable < one.wanted] for name, told in by_node.items()
    }
    served = [name for name, lacks in short.items() if not lacks]
    if served and not any(one.filter == DYNAMIC_RESOURCES for name in served for one in reasons.get(name, ())):
        return None  # the claims could be met there: something else refuses the pod
    if served:
        together = served
        sentence = (
            f"Each request by itself finds devices on {nodes_named(together)}, but not all of them together "
            f"({what}): the constraints, or devices that only one of them can have, rule it out."
        )
        return Cause("constraint", sentence + also, tuple(together[:3]))
    said = clauses(snapshot, {name: [(one.request, one.meant) for one in lacks] for name, lacks in short.items()})
    kind = _kind(short)
    every = [one for lacks in short.values() for one in lacks]
    lead = _lead(every, short, nobody) + _elsewhere(by_node, short)
    some = "" if alone else "for instance "
    sentence = f"{lead}: {some}{'; '.join(said.words[:3])}." if said.words else f"{lead}."
    sentence += _other_alternatives(snapshot, by_node, every)
    if kind == "held" and any(one.request.wanted is None for one in every):
        kind = "all-with-one-taken"
    return Cause(kind, sentence + also, (*said.objects[:6], *list(by_node)[:3]))


def _other_alternatives(snapshot: Snapshot, by_node: Mapping[str, Sequence[Supplied]], told: Sequence[Supplied]) -> str:
    """Of the requests that were told by one alternative, why the others don't fit either; starts with a blank."""
    said: list[str] = []
    for claim, name in dict.fromkeys((one.request.claim, one.request.request) for one in told):
        request, slash, _ = name.partition("/")
        others: dict[str, list[tuple[str, Supplied]]] = {}
        for node, several in by_node.items():
            for one in several:
                other = one.request.request
                if one.request.claim == claim and other != name and other.startswith(f"{request}/"):
                    others.setdefault(other, []).append((node, one))
        if slash and others:
            words = "; ".join(f"{other.partition('/')[2]}: {shortly(snapshot, o)}" for other, o in others.items())
            which = "alternative doesn't" if len(others) == 1 else "alternatives don't"
            said.append(f" The other {which} fit either ({words}).")
    return "".join(said[:1])


def _lead(every: Sequence[Supplied], short: Mapping[str, Sequence[Supplied]], nobody: str) -> str:
    best = max(every, key=lambda one: (one.usable - one.wanted, one.usable))
    node = next(name for name, lacks in short.items() if best in lacks)
    request = best.request.request
    if best.request.wanted is None:
        return (
            f"It asks for all devices of request {request}, and {best.usable} of {len(best.meant)} would do on {node}"
        )
    if best.wanted > 1 and len(short) > 1:
        return (
            f"{nobody} has {best.wanted} devices free for request {request} (the most is {best.usable} of "
            f"{len(best.meant)}, on {node})"
        )
    if best.usable:
        wants = number(best.wanted, "device")
        return f"Request {request} wants {wants}, and {best.usable} of {len(best.meant)} would do on {node}"
    where = nodes_named(list(short))
    alike = [one for one in every if one.request.request == request]
    such = f"({number(sum(len(one.meant) for one in alike), 'such device')} on {where}"
    if all(isinstance(why, ConstraintBroken) for one in alike for device in one.meant for why in _reasons(device)):
        return f"Request {request} finds none that go together {such}, none of them held)"
    return f"No device is left for request {request} {such})"


def _elsewhere(by_node: Mapping[str, Sequence[Supplied]], short: Mapping[str, Sequence[Supplied]]) -> str:
    """Requests that would find devices: ` (for request gpu 3 of 4 are free)`."""
    node = next(iter(short))
    fine = [one for one in _first_alternatives(by_node[node]) if one not in short[node]]
    told = [f"for request {one.request.request} {one.usable} of {len(one.meant)} are free" for one in fine[:2]]
    return f" ({', '.join(told)})" if told else ""


def _kind(short: Mapping[str, Sequence[Supplied]]) -> Kind:
    """What by itself would be enough to take away on some node; the first in the order of `KINDS`."""
    for reason, kind in KINDS:
        for lacks in short.values():
            if all(
                sum(1 for device in one.meant if all(isinstance(why, reason) for why in _reasons(device))) >= one.wanted
                for one in lacks
            ):
                return kind
    found = [why for lacks in short.values() for one in lacks for device in one.meant for why in _reasons(device)]
    for reason, kind in KINDS:
        if any(isinstance(why, reason) for why in found):
            return kind
    return "held"


def _reasons(device: DeviceStory) -> list[DeviceReason]:
    """A device that is held has used its own counters up: that's no second reason."""
    held = any(isinstance(why, Held) for why in device.reasons)
    return [why for why in device.reasons if not (held and isinstance(why, CounterShort))]
