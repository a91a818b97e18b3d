"""The cause where a pod asks for counted resources: devices of a device plugin, CPU and memory."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from aliquot.advisor.amounts import about
from aliquot.advisor.case import device_requests, is_extended
from aliquot.advisor.causes.cause import Cause, Kind, listed, nodes_named, number
from aliquot.advisor.causes.holders import held_by, who
from aliquot.advisor.causes.lost_volumes import lost_volumes
from aliquot.advisor.causes.neighbours import kept_off
from aliquot.advisor.causes.plugins import labelled, plugin_words
from aliquot.advisor.causes.rollout import deadlock
from aliquot.advisor.causes.scope import Scope, scope
from aliquot.advisor.causes.usable import left_over, nothing_usable, sift
from aliquot.advisor.gpus import MIG_PREFIX, family
from aliquot.advisor.nearest import is_near_resource, nearest
from aliquot.dra.device import DeviceId
from aliquot.kube.node import Node
from aliquot.kube.pod import Container, Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.snapshot.effective import effective_request, running, starting_first
from aliquot.snapshot.snapshot import Snapshot

PLAIN = ("cpu", "memory", "ephemeral-storage")
Reasons = Mapping[str, Sequence[Reason]]


def of_counted(snapshot: Snapshot, pod: Pod, reasons: Reasons) -> Cause | None:
    """None: it asks for no counted device, or all nodes that have them could take it."""
    found = _found(snapshot, pod, reasons)
    if found is None or found.kind not in ("held", "scattered", "larger-than-any", "unhealthy"):
        return found
    if found.kind in ("held", "larger-than-any"):
        found = replace(found, sentence=found.sentence + _shares(pod))
    first = starting_first(pod)
    name = next((one for one in (*device_requests(pod), *PLAIN) if one in first and one in found.sentence), "")
    return replace(found, sentence=found.sentence + _asked_first(name, *first[name])) if name else found


def _shares(pod: Pod) -> str:
    """Which of its containers ask for devices, where several do; starts with a blank."""
    for name in device_requests(pod):
        asking = [f"{one.name} ({one.requests[name]})" for one in running(pod) if one.requests.get(name)]
        if len(asking) > 1:
            return f" Its containers {listed(asking, 4)} ask for {name}."
    return ""


def _asked_first(name: str, init: Container, after: int) -> str:
    """That it's an init container that asks for so much; starts with a blank."""
    rest = f"only {about(name, after)}" if after else "for none"
    return f" Its init container {init.name} asks for {about(name, init.requests[name])}, its app {rest}."


def _found(snapshot: Snapshot, pod: Pod, reasons: Reasons) -> Cause | None:
    wanted = device_requests(pod)
    meant = scope(snapshot, pod, wanted)
    for name, asked in wanted.items():
        offering = [node for node in meant.nodes if node.allocatable.get(name)]
        if not offering:
            return _not_offered(snapshot, name, meant)
        if max(node.allocatable[name] for node in offering) < asked:
            return _larger(snapshot, name, asked, offering, meant)
    nodes = [
        node
        for node in snapshot.nodes.values()
        if all(node.allocatable.get(name, 0) >= asked for name, asked in wanted.items())
    ]
    if not wanted:
        return _plain(snapshot, pod, reasons)
    if not nodes:
        names = listed(sorted(wanted))
        return Cause("not-offered", f"No node offers {names} together.", tuple(wanted))
    return _among(snapshot, pod, wanted, nodes, reasons)


def _among(snapshot: Snapshot, pod: Pod, wanted: Mapping[str, int], nodes: Sequence[Node], reasons: Reasons) -> Cause:
    """Among the nodes that are large enough."""
    what = listed([f"{asked} {name}" for name, asked in wanted.items()])

    def room(node: Node) -> bool:
        load = snapshot.load(node.name)
        return all(load.free(name) >= asked for name, asked in wanted.items())

    sifted = sift(nodes, reasons)
    if not sifted.usable:
        first = next(iter(wanted))
        return nothing_usable(
            snapshot, pod, sifted, reasons, what, room, lambda names: who(held_by(snapshot, names, first))
        )
    free = [node for node in sifted.usable if room(node)]
    if free:
        return beside_devices(snapshot, pod, free, reasons, what)
    stuck = deadlock(snapshot, pod, [node.name for node in sifted.usable], wanted)
    if stuck is not None:
        return stuck
    name = next((name for name, asked in wanted.items() if _nowhere(snapshot, sifted.usable, name, asked)), "")
    name = name or next(iter(wanted))
    selected = ", which it selects," if sifted.unselected else ""
    return _taken(snapshot, name, wanted[name], sifted.usable, left_over(sifted, room, reasons), selected)


def _nowhere(snapshot: Snapshot, nodes: Sequence[Node], name: str, asked: int) -> bool:
    return all(snapshot.load(node.name).free(name) < asked for node in nodes)


def _taken(snapshot: Snapshot, name: str, asked: int, nodes: Sequence[Node], also: str, selected: str) -> Cause:
    free = {node.name: max(0, snapshot.load(node.name).free(name)) for node in nodes}
    most, everywhere = max(free.values()), sum(free.values())
    total = sum(node.allocatable[name] for node in nodes)
    names = [node.name for node in nodes]
    held = held_by(snapshot, names, name)
    by = f": held by {who(held)}" if held else ""
    pods = tuple(pod.key for one in held[:2] for pod in one.pods[:2])
    objects = (*(one.owner.short for one in held[:3]), *pods, *names[:3])
    where = nodes_named(names)
    after = _unhealthy(nodes, name) + also
    if most == 0:
        every = "Both" if total == 2 else f"All {total}"
        whole = f"{every} {name} on {where}{selected} are taken" if total > 1 else f"The only {name} ({where}) is taken"
        return Cause("held", f"{whole}{by}.{after}", objects)
    best = [node for node, amount in free.items() if amount == most]
    if everywhere >= asked and len(nodes) > 1:
        spread = number(sum(1 for one in free.values() if one), "node")
        sentence = (
            f"It asks for {asked} {name} on one node, and the most that any has free is {most}, on {nodes_named(best)};"
            f" {everywhere} are free in all, scattered over {spread}{by}.{after}"
        )
        return Cause("scattered", sentence, (*best[:3], *objects))
    if len(nodes) == 1:
        verb = "is" if most == 1 else "are"
        sentence = f"Only {most} of {total} {name} {verb} free on {where}, and it asks for {asked}{by}.{after}"
    else:
        size = nodes[0].allocatable[name]
        nobody = "No node that it selects" if selected else "No node"
        sentence = f"{nobody} has {asked} {name} free: the most is {most} of {size}, on {nodes_named(best)}{by}.{after}"
    return Cause("held", sentence, objects)


def _unhealthy(nodes: Iterable[Node], name: str) -> str:
    """Nodes that have more than they give: devices that failed their health check."""
    sick = [
        f"{node.name} has {node.capacity[name]} {name} but only {given} allocatable "
        f"({node.capacity[name] - given} unhealthy)"
        for node in nodes
        if node.capacity.get(name, 0) > (given := node.allocatable.get(name, 0))
    ]
    return f" {'; '.join(sick[:3])}." if sick else ""


def _larger(snapshot: Snapshot, name: str, asked: int, offering: Sequence[Node], meant: Scope) -> Cause:
    most = max(node.allocatable[name] for node in offering)
    sick = [node for node in meant.nodes if node.capacity.get(name, 0) >= asked]
    best = [node.name for node in offering if node.allocatable[name] == most]
    if sick:
        told = listed(
            [f"{n.name} has {n.capacity[name]} but only {n.allocatable.get(name, 0)} allocatable" for n in sick], 2
        )
        nobody = f"{meant.nobody[:1].lower()}{meant.nobody[1:]}"
        sentence = f"It asks for {asked} {name}, and {nobody} gives that many: {told} (unhealthy devices)."
        return Cause("unhealthy", sentence, tuple(node.name for node in sick[:3]))
    published = {
        node: count
        for node, count in published_by_node(snapshot, name).items()
        if count >= asked and node in meant.names
    }
    by_dra = (
        f"; {nodes_named(published)} publish{'es' if len(published) == 1 else ''} as many, but by DRA only "
        f"({'at most ' if len(published) > 1 else ''}{_unallocated(snapshot, name, published)} unallocated)"
        if published
        else ""
    )
    sentence = (
        f"It asks for {about(name, asked)} {name} on one node, more than any node "
        f"{'that it selects ' if meant.narrowed else ''}has: the most is "
        f"{about(name, most)}, on {nodes_named(best)}{by_dra}."
    )
    return Cause("larger-than-any", sentence, (name, *best[:3], *list(published)[:2]))


# --- nobody offers it -------------------------------------------------------------------------------------------------


def _not_offered(snapshot: Snapshot, name: str, meant: Scope) -> Cause:
    nobody = meant.nobody
    sick = [node for node in meant.nodes if node.capacity.get(name)]
    if sick:
        broken = listed([f"{node.name} has {node.capacity[name]} in capacity and 0 allocatable" for node in sick])
        sentence = f"{nobody} gives any {name}: {broken} (unhealthy devices, or the device plugin stopped)."
        return Cause("unhealthy", sentence, tuple(node.name for node in sick[:3]))
    offered: dict[str, list[Node]] = {}
    for node in meant.nodes:
        for other, amount in node.allocatable.items():
            if amount and is_extended(other):
                offered.setdefault(other, []).append(node)
    others = related(name, offered)
    published = None if others and name.startswith(MIG_PREFIX) else _published(snapshot, name, meant)
    if published is not None:
        return published
    told = [f"{other} ({_free_words(snapshot, other, offered[other])})" for other in others[:3]]
    if others and is_near_resource(name, others[0]) and not name.startswith(MIG_PREFIX):
        where = [node.name for node in offered[others[0]]]
        sentence = f"{nobody} offers {name}: {told[0][:-1]} on {nodes_named(where)}) is probably meant."
        return Cause("not-offered", sentence, (name, others[0], *where[:2]))
    if not others:
        silent = [node for node in labelled(snapshot, name) if node in meant.nodes]
        if not silent:
            return Cause("not-offered", f"{nobody} offers {name}.", (name,))
        where = [node.name for node in silent]
        whose = "its labels say" if len(silent) == 1 else "their labels say"
        sentence = (
            f"{nobody} offers {name}, though {whose} that {nodes_named(where)} {'has' if len(where) == 1 else 'have'} "
            f"NVIDIA GPUs: {plugin_words(snapshot, silent)}."
        )
        return Cause("not-offered", sentence, (name, *where[:3]))
    there = sorted({node.name for other in others[:3] for node in offered[other]})
    verb = "is" if len(told) == 1 else "are"
    if len({tuple(node.name for node in offered[other]) for other in others[:3]}) > 1:  # not all on the same nodes
        told = [
            f"{other} ({_free_words(snapshot, other, offered[other])} on {_some(offered[other])})"
            for other in others[:3]
        ]
        return Cause(
            "not-offered", f"{nobody} offers {name}. There {verb} {listed(told)}.", (name, *others[:3], *there[:3])
        )
    sentence = f"{nobody} offers {name}. There {verb} {listed(told)} on {nodes_named(there)}."
    return Cause("not-offered", sentence, (name, *others[:3], *there[:3]))


def related(name: str, offered: Mapping[str, object]) -> list[str]:
    """Resources that may have been meant, or would do: of the same devices, or with a near name."""
    same = [other for other in offered if family(other) == family(name) or is_near_resource(name, other)]
    base = name.removesuffix(".shared")
    return sorted(
        same,
        key=lambda other: (
            other not in (base, f"{name}.shared"),
            not is_near_resource(name, other),
            *_rank(name, other),
        ),
    )


def _rank(name: str, other: str) -> tuple[int, str]:
    return nearest(name, [other, name]).index(other), other


def _free_words(snapshot: Snapshot, name: str, nodes: Sequence[Node]) -> str:
    free = sum(max(0, snapshot.load(node.name).free(name)) for node in nodes)
    return f"{free} free of {sum(node.allocatable[name] for node in nodes)}"


def _some(nodes: Sequence[Node]) -> str:
    return nodes[0].name if len(nodes) == 1 else f"{len(nodes)} nodes"


def published_by_node(snapshot: Snapshot, name: str) -> dict[str, int]:
    """Node -> whole devices of that vendor that it publishes by DRA."""
    return {node: len(devices) for node, devices in _whole_devices(snapshot, name).items()}


def _whole_devices(snapshot: Snapshot, name: str) -> dict[str, list[DeviceId]]:
    nodes: dict[str, list[DeviceId]] = {}
    for one in snapshot.slices.values():
        if one.node_name and _same_vendor(one.driver, name):
            nodes.setdefault(one.node_name, []).extend(
                DeviceId(one.driver, one.pool, device.name)
                for device in one.devices
                if _kind(device.attributes) in ("", "gpu")
            )
    return nodes


def _unallocated(snapshot: Snapshot, name: str, nodes: Iterable[str]) -> int:
    """The most of them that any of these nodes has left: no claim holds them."""
    allocations = [claim.allocation for claim in snapshot.claims.values() if claim.allocation is not None]
    held = {one.device for allocation in allocations for one in allocation.results}
    devices = _whole_devices(snapshot, name)
    return max(sum(1 for device in devices[node] if device not in held) for node in nodes)


def _same_vendor(driver: str, name: str) -> bool:
    vendor = name.partition("/")[0]
    return driver.endswith(vendor) or vendor.endswith(driver)


def _published(snapshot: Snapshot, name: str, meant: Scope) -> Cause | None:
    """Nodes that publish such devices by DRA only."""
    nodes = {node: count for node, count in published_by_node(snapshot, name).items() if node in meant.names}
    drivers = sorted({one.driver for one in snapshot.slices.values() if _same_vendor(one.driver, name)})
    if not nodes:
        return None
    classes = sorted(
        (key for key, one in snapshot.classes.items() if any(drivers[0] in (text or "") for text in one.selectors)),
        key=lambda key: (key != drivers[0], key),
    )
    told = listed([f"{node} publishes {number(count, 'device')}" for node, count in nodes.items()], 2)
    served = any(one.extended_resource == name for one in snapshot.classes.values())
    mapped = (
        f" DeviceClass {classes[0]} has no extendedResourceName {name}, which would map them."
        if classes and not served
        else ""
    )
    sentence = (
        f"{meant.nobody} offers {name} as a counted resource (no device plugin), but by DRA (ResourceSlices of "
        f"{drivers[0]}) {told}.{mapped}"
    )
    return Cause("not-offered", sentence, (name, *classes[:1], *nodes))


def _kind(attributes: Mapping[str, object]) -> str:
    found = attributes.get("type")
    return str(getattr(found, "value", ""))


# --- what else is in the way ------------------------------------------------------------------------------------------


OTHER_KINDS: Mapping[str, Kind] = {
    "PodTopologySpread": "spread", "InterPodAffinity": "anti-affinity", "NodePorts": "host-port",
    "VolumeBinding": "volume", "VolumeZone": "volume", "NodeVolumeLimits": "volume", "VolumeRestrictions": "volume",
}  # fmt: skip
OTHER_WORDS = {
    "PodTopologySpread": "the pod's topology spread would be broken there",
    "InterPodAffinity": "an affinity or anti-affinity of pods forbids it there",
    "NodePorts": "its host port is taken there",
    "VolumeBinding": "a volume of the pod can't be used there",
    "VolumeZone": "a volume of the pod is in another zone",
    "VolumeRestrictions": "another pod uses a volume of it that only one may use",
    "NodeVolumeLimits": "no more volumes of its kind can be attached there",
}


def beside_devices(snapshot: Snapshot, pod: Pod, nodes: Sequence[Node], reasons: Reasons, what: str) -> Cause:
    """Nodes that have the devices free (`what`; empty: it asks for none), and lack something else."""
    fewest = min(nodes, key=lambda node: (len({one.filter for one in reasons[node.name]}), node.name))
    reason = reasons[fewest.name][0]
    alike = [node for node in nodes if any(one.filter == reason.filter for one in reasons[node.name])]
    names = [node.name for node in alike]
    free = f"There's room for {what} on {nodes_named(names)}, but " if what else ""
    if reason.filter == "NodeResourcesFit":
        return _short(snapshot, alike, reasons, free)
    if reason.filter == "InterPodAffinity":
        clause, keys = kept_off(snapshot, pod, alike)
        if clause:
            sentence = f"{free}{clause}."
            return Cause("anti-affinity", sentence[:1].upper() + sentence[1:], (*keys[:3], *names[:3]))
    lost = next(lost_volumes(snapshot, pod), None) if reason.filter == "VolumeBinding" else None
    if lost is not None:
        volume, place = lost
        sentence = f"{free}its volume {volume.meta.name} is on the disk of {place}, which isn't in the input."
        return Cause("volume", f"{sentence[:1].upper()}{sentence[1:]}", (volume.meta.name, *names[:3]))
    parts = (reason.asked and f"asked: {reason.asked}", reason.found and f"found: {reason.found}")
    details = "; ".join(part for part in parts if part)
    words = OTHER_WORDS.get(reason.filter, reason.text)
    sentence = f"{free}{words}{f' ({details})' if details else ''}."
    kind = OTHER_KINDS.get(reason.filter, "other")
    return Cause(kind, sentence[:1].upper() + sentence[1:], (reason.subject, *names[:3]))


def _short(snapshot: Snapshot, nodes: Sequence[Node], reasons: Reasons, free: str) -> Cause:
    """CPU, memory, pods: what is short on the nodes with free devices, and who has it."""
    shorts: dict[str, tuple[int, int, str]] = {}
    for node in nodes:
        for reason in reasons[node.name]:
            if reason.filter == "NodeResourcesFit" and reason.asked_amount is not None:
                left = max(0, (reason.total_amount or 0) - (reason.used_amount or 0))
                if reason.subject not in shorts or left > shorts[reason.subject][1]:
                    shorts[reason.subject] = (reason.asked_amount, left, node.name)
    slots = _no_slots(nodes, reasons) if shorts.pop("pods", None) is not None else ""
    never = {name: _never(nodes, name, asked) for name, (asked, _, _) in shorts.items()}
    told = [
        f"{about(name, asked)}{f' of {name}' if len(shorts) > 1 else ''} asked, the most left is {about(name, left)} "
        f"({node}){never[name]}"
        for name, (asked, left, node) in shorts.items()
    ]
    biggest = next(iter(shorts), "")
    held = biggest in PLAIN and not never[biggest]  # else who holds it is beside the point
    holders = held_by(snapshot, [node.name for node in nodes], biggest) if held else []
    by = f"; most of it is asked by {who(holders[:2])}" if holders else ""
    little = f"too little {listed(sorted(shorts))} is left: {'; '.join(told)}{by}" if shorts else ""
    sentence = f"{free}{', and '.join(part for part in (slots, little) if part)}."
    objects = (*shorts, *(["pods"] if slots else []), *[n.name for n in nodes[:3]])
    return Cause("short-of-cpu-or-memory", sentence[:1].upper() + sentence[1:], objects)


def _never(nodes: Sequence[Node], name: str, asked: int) -> str:
    """That even an empty node would be too small; mostly nothing."""
    most = max(node.allocatable.get(name, 0) for node in nodes)
    whole = "the node has" if len(nodes) == 1 else "no node that it may use has more than"
    return f", and {whole} {about(name, most)}" if most < asked else ""


def _no_slots(nodes: Sequence[Node], reasons: Reasons) -> str:
    """`no pod slot is left on a (110 of 110 are taken)`."""
    full = {
        node.name: reason
        for node in nodes
        for reason in reasons[node.name]
        if reason.filter == "NodeResourcesFit" and reason.subject == "pods"
    }
    first = next(iter(full.values()))
    taken = f"{first.used_amount} of {first.total_amount} taken" if len(full) == 1 else "all are taken"
    return f"no pod slot is left on {nodes_named(list(full))} ({taken})"


def _plain(snapshot: Snapshot, pod: Pod, reasons: Reasons) -> Cause | None:
    """A pod that asks for no device: nodes with devices aren't meant for it while there are others."""
    if pod.claims:
        return None
    request = effective_request(pod)
    every = list(snapshot.nodes.values())
    others = [
        node for node in every if not any(is_extended(name) and amount for name, amount in node.allocatable.items())
    ]
    nodes = others or every
    for name in PLAIN:
        asked = request.get(name, 0)
        if asked and nodes and max(node.allocatable.get(name, 0) for node in nodes) < asked:
            most = max(node.allocatable.get(name, 0) for node in nodes)
            best = [node.name for node in nodes if node.allocatable.get(name, 0) == most]
            kinds = "node without GPUs" if others and len(others) < len(every) else "node"
            sentence = (
                f"It asks for {about(name, asked)} of {name}, more than any {kinds} has: the most is "
                f"{about(name, most)}, on {nodes_named(best)}."
            )
            return Cause("larger-than-any", sentence, (name, *best[:3]))

    def room(node: Node) -> bool:
        load = snapshot.load(node.name)
        return all(load.free(name) >= asked for name, asked in request.items() if asked)

    sifted = sift(nodes, reasons)
    if not sifted.usable:
        what = " and ".join(
            f"{about(name, request[name])} of {name}" for name in ("cpu", "memory") if request.get(name)
        )
        return nothing_usable(snapshot, pod, sifted, reasons, what or "room", room)
    return beside_devices(snapshot, pod, sifted.usable, reasons, "")
