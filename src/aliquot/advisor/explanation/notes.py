"""What else a person should know of a pod, in a line."""

import re
from collections.abc import Sequence

from aliquot.advisor.amounts import about
from aliquot.advisor.case import device_requests
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.dra.configs import problems_of_pod
from aliquot.advisor.scheduler_notes.stale_counts import impossible
from aliquot.advisor.slips import largest, slips
from aliquot.advisor.verdicts import message_note, unchecked_note, volumes_note
from aliquot.advisor.wayout import Advice
from aliquot.kube.node import NO_RESOURCES
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.snapshot.snapshot import Snapshot

LIMIT_RANGER = "kubernetes.io/limit-ranger"
FILLED = re.compile(r"(?:^|[:;] )([a-z0-9, -]+?) (request|limit) for (?:init )?container ([a-z0-9-]+)")
"""Of its annotation: `LimitRanger plugin set: cpu, memory request for container main`."""


def notes(snapshot: Snapshot, pod: Pod, message: str, unchecked: Sequence[str] = ()) -> str:
    """What else a person should know: a promise, rivals, an outdated message."""
    found: list[str] = []
    if pod.nominated_node:
        leaving = [one.key for one in snapshot.pods_on(pod.nominated_node) if one.terminating]
        wait = f", once {', '.join(leaving[:3])} is gone" if leaving else ""
        found.append(f"The scheduler has promised it room on {pod.nominated_node}{wait}: wait.")
    wanted = device_requests(pod).keys()
    rivals = [
        one.key
        for one in snapshot.pending()
        if one.priority > pod.priority and one.key != pod.key and wanted & device_requests(one).keys()
    ]
    if rivals:
        more = f" and {len(rivals) - 3} more" if len(rivals) > 3 else ""
        found.append(f"Pods of higher priority wait for the same and go first: {', '.join(sorted(rivals)[:3])}{more}.")
    found += [*_too_little(snapshot, pod), *_defaults(snapshot, pod), *_configurations(snapshot, pod)]
    return " ".join(filter(None, [*found, volumes_note(snapshot, unchecked), message_note(snapshot, pod, message)]))


def placed_note(snapshot: Snapshot, pod: Pod, decision: Placement) -> str:
    """Of a pod that has room: the cluster's own message, and counts that can't be true."""
    if decision.verdict != "placeable":
        return ""
    asks = any(name.startswith("nvidia.com/") for name in device_requests(pod))
    counts_wrong = [text for node in decision.nodes[:3] if asks and (text := impossible(snapshot.nodes[node]))]
    unchecked = (volumes_note(snapshot, decision.not_checked), unchecked_note(snapshot, pod, decision))
    own = [*_configurations(snapshot, pod), *counts_wrong[:1], *_too_little(snapshot, pod)]
    return " ".join(filter(None, [*own, *unchecked]))


def _too_little(snapshot: Snapshot, pod: Pod) -> list[str]:
    """Requests that no process can live with, which keep nothing from being placed."""
    return [one.sentence for one in slips(snapshot, pod) if not one.too_large]


def _defaults(snapshot: Snapshot, pod: Pod) -> list[str]:
    """Amounts that nobody wrote into it, where no node has so much: the API server notes which it filled in."""
    filled = FILLED.findall(pod.meta.annotations.get(LIMIT_RANGER, ""))
    most = largest(snapshot)
    told: list[str] = []
    for resources, what, container in filled:
        own = [one.requests for one in (*pod.containers, *pod.init_containers) if one.name == container]
        asked = own[0] if own else NO_RESOURCES
        names = [name for name in resources.split(", ") if what == "request" and name in asked]
        large = [name for name in names if asked[name] > most.get(name, 0)]
        if large:
            told.append(
                f"Its container {container} names no request of {listed(large)} itself: a LimitRange of namespace "
                f"{pod.namespace} gives it {listed([f'{about(name, asked[name])} of {name}' for name in large])}."
            )
    return told


def _configurations(snapshot: Snapshot, pod: Pod) -> list[str]:
    """What keeps its claims from being prepared once it's placed."""
    return [f"{text}." for text in problems_of_pod(snapshot, pod)]


def waiting_for(snapshot: Snapshot, pod: Pod, decision: Refusal) -> list[Advice]:
    """Of a pod that the scheduler says nothing about: what its events say."""
    if decision.message:
        return []
    said = [
        event.message
        for event in snapshot.events
        if (event.kind, event.namespace, event.name) == ("Pod", pod.namespace, pod.name) and event.type == "Warning"
    ]
    return [Advice(f"an event says: {message}") for message in dict.fromkeys(said[-3:])]
