"""Where ways out are sought: nodes that have what the pod asks for, in hardware; others say nothing about its case.

Nodes are put together by what they have (product, resources, drivers) and by what is in the way there; of each such
group those nearest to having room are looked at. However many irrelevant nodes there are, they crowd nothing out.
"""

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from aliquot.advisor.alike import Alike
from aliquot.advisor.case import PER_GROUP, Case, Spot, device_requests, is_extended
from aliquot.advisor.dra.claims import own_selectors, wanted_drivers
from aliquot.advisor.dra.device_story import STORIES_TOLD
from aliquot.advisor.dra.pools import incomplete, made_whole
from aliquot.advisor.gpus import PRODUCT, family
from aliquot.advisor.nearest import is_near_resource
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.scheduler_notes.known_defects import defects
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

Hardware = tuple[str, frozenset[str], frozenset[str], frozenset[str], frozenset[str]]
"""Product, device resources that it gives, those that it has, drivers that publish devices, and what those are."""
KINDS = re.compile(r"type|profile|product|model|family", re.IGNORECASE)
"""Attributes that tell devices of one kind from those of another."""
NAMED = 6
"""How much nearer a node is whose devices are of a kind that the pod's claims name."""
MOST_SPOTS = 40
"""Nodes that ways out are sought for: every group has its best among them before any has its second."""


def case_of(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    groups: Sequence[Alike],
    refusal: Refusal,
    node_groups: Snapshot | None = None,
) -> Case:
    """The pod's case with the nodes that matter."""
    error = refusal.reason == "SchedulerError"
    several = (Alike(tuple(snapshot.nodes), (), {}, {}, {}),) if error else groups
    spots: list[tuple[float, Spot]] = []
    texts = " ".join(own_selectors(snapshot, pod)) if pod.claims else ""
    hardware = snapshot.recall("hardware of nodes", _hardware)
    for nodes in _groups(snapshot, pod, several):
        near = heapq.nsmallest(PER_GROUP, ((_lacking(snapshot, pod, name), name) for name in nodes))
        named = (
            NAMED
            if texts and any(f"'{kind}'" in texts or f'"{kind}"' in texts for kind in hardware[nodes[0]][4])
            else 0
        )
        for nth, (lacking, name) in enumerate(near):
            spot = Spot(snapshot.nodes[name], refusal.reasons(name), len(nodes))
            spots.append((nth + 2 * len(spot.problems) + lacking - named, spot))
    spots.sort(key=lambda one: (one[0], one[1].node.name))
    chosen = tuple(spot for _, spot in spots[:MOST_SPOTS])
    asking = (
        spot for spot in chosen if pod.claims or spot.lacks_devices
    )  # without claims: a class serves what it counts
    told = [spot.node.name for spot in islice(asking, STORIES_TOLD)]
    found = {name: scheduler.story(snapshot, pod, name) for name in told}
    stories = {name: story for name, story in found.items() if story is not None}
    whole = {
        name: again
        for name, story in stories.items()
        if any(incomplete(story)) and (again := scheduler.story(made_whole(snapshot, story), pod, name)) is not None
    }
    return Case(
        snapshot=snapshot,
        pod=pod,
        owner=owner,
        scheduler=scheduler,
        spots=chosen,
        stories=stories,
        whole=whole,
        node_groups=node_groups,
        defect=next(defects(snapshot, pod, scheduler), None),
        message=refusal.message,
        error=error,
    )


def _groups(snapshot: Snapshot, pod: Pod, groups: Sequence[Alike]) -> Iterator[list[str]]:
    """Relevant nodes, by what is in the way and by what they have; all of them, where none is relevant."""
    drivers = published(snapshot)
    wanted = wanted_drivers(snapshot, pod) & {driver for several in drivers.values() for driver in several}
    hardware = snapshot.recall("hardware of nodes", _hardware)
    relevant = {kind: _relevant(kind, pod, wanted) for kind in set(hardware.values())}
    some = any(relevant.values())
    for group in groups:
        kinds: dict[Hardware, list[str]] = {}
        for name in group.nodes:
            kind = hardware[name]
            if relevant[kind] or not some:
                kinds.setdefault(kind, []).append(name)
        yield from kinds.values()


def published(snapshot: Snapshot) -> Mapping[str, frozenset[str]]:
    """Node -> the drivers that publish devices there."""

    def make(there: Snapshot) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for one in there.slices.values():
            if one.node_name:
                found.setdefault(one.node_name, set()).add(one.driver)
        return {node: frozenset(drivers) for node, drivers in found.items()}

    return snapshot.recall("drivers by node", make)


def _relevant(kind: Hardware, pod: Pod, wanted: set[str]) -> bool:
    """False: nothing that this pod could mean is there."""
    _, _, offers, drivers, _ = kind
    asked = device_requests(pod)
    if pod.claims:
        return bool(drivers & wanted) if wanted else bool(drivers)
    if not asked:
        return not offers and not drivers
    return any(
        name in offers
        or any(family(one) == family(name) or is_near_resource(name, one) for one in offers)
        or _vendor(name, drivers)
        for name in asked
    )


def _vendor(name: str, drivers: frozenset[str]) -> bool:
    return any(driver.endswith(name.partition("/")[0]) for driver in drivers)


def _hardware(snapshot: Snapshot) -> Mapping[str, Hardware]:
    drivers, devices = published(snapshot), _device_kinds(snapshot)
    found: dict[str, Hardware] = {}
    for name, node in snapshot.nodes.items():
        given = frozenset(one for one, amount in node.allocatable.items() if amount and is_extended(one))
        has = given.union(one for one, amount in node.capacity.items() if amount and is_extended(one))
        product = node.meta.labels.get(PRODUCT, "")
        found[name] = (product, given, has, drivers.get(name, frozenset()), devices.get(name, frozenset()))
    return found


def _device_kinds(snapshot: Snapshot) -> Mapping[str, frozenset[str]]:
    """Node -> the products, types and profiles of its devices."""
    found: dict[str, set[str]] = {}
    telling: dict[str, bool] = {}
    for one in snapshot.slices.values():
        kinds = found.setdefault(one.node_name, set()) if one.node_name else set[str]()
        for device in one.devices:
            for name, value in device.attributes.items():
                if name not in telling:
                    telling[name] = KINDS.search(name) is not None
                if telling[name] and isinstance(value.value, str):
                    kinds.add(value.value)
    return {node: frozenset(kinds) for node, kinds in found.items()}


def _lacking(snapshot: Snapshot, pod: Pod, node: str) -> float:
    """How far the node is from holding the pod: shares of what it lacks, and of its devices that claims hold."""
    used, room = snapshot.load(node).requested, snapshot.nodes[node].allocatable
    short = sum(
        max(0, amount - room.get(name, 0) + used.get(name, 0)) / amount
        for name, amount in effective_request(pod).items()
        if amount
    )
    return short + snapshot.recall("devices held by node", _held_shares).get(node, 0.0) if pod.claims else short


def _held_shares(snapshot: Snapshot) -> Mapping[str, float]:
    """Node -> the share of its published devices that claims hold."""
    pools = {(one.driver, one.pool): one.node_name for one in snapshot.slices.values() if one.node_name}
    held: dict[str, int] = {}
    for claim in snapshot.claims.values():
        for result in claim.allocation.results if claim.allocation is not None else ():
            node = pools.get((result.device.driver, result.device.pool))
            if node is not None:
                held[node] = held.get(node, 0) + 1
    total: dict[str, int] = {}
    for one in snapshot.slices.values():
        if one.node_name:
            total[one.node_name] = total.get(one.node_name, 0) + len(one.devices)
    return {node: count / max(1, total[node]) for node, count in held.items()}
