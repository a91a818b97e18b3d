"""Who goes first: the scheduler takes pods by priority, then the longest waiting."""

from collections.abc import Iterable

from aliquot.advisor.case import PLAIN_RESOURCES
from aliquot.advisor.queue.shapes import shape_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

NEVER_MADE = "~"
"""After every time: a pod that isn't there yet goes last among its equals."""


def place(pod: Pod) -> tuple[int, str, str]:
    """Its place in the queue: smaller goes first. Of equals the name decides here, which in a cluster is anybody's."""
    return -pod.priority, pod.meta.created or "", pod.key


def queue_order(pods: Iterable[Pod]) -> list[Pod]:
    """As the scheduler takes them."""
    return sorted(pods, key=place)


def compete(one: Pod, other: Pod) -> bool:
    """They compete for devices, or neither asks for any."""
    mine, theirs = (set(effective_request(pod)) - PLAIN_RESOURCES for pod in (one, other))
    return (
        bool(mine & theirs) or bool(one.claims and other.claims) or not (mine or theirs or one.claims or other.claims)
    )


def ahead(snapshot: Snapshot, pod: Pod, changed: Pod) -> list[tuple[Pod, object]]:
    """Pods that wait, compete with this one and go first, each with its shape.

    Pods alike are one to a person ("one of the 5 runs"): they stand where their first stands, and aren't before
    each other.

    Args:
        snapshot: the cluster as it is.
        pod: which.
        changed: the same as a way out makes it, with another priority perhaps, or another resource.
    """
    mine = shape_of(snapshot, pod)
    line = snapshot.recall("queue", _line)
    first = next((one for one, shape in line if shape == mine), None)
    priority, created, key = place(first if first is not None else pod)
    if first is None and pod.key not in snapshot.pods:
        created = NEVER_MADE
    at = (-changed.priority if changed.priority != pod.priority else priority, created, key)
    return [(one, shape) for one, shape in line if place(one) < at and shape != mine and compete(one, changed)]


def _line(snapshot: Snapshot) -> tuple[tuple[Pod, object], ...]:
    """All that kube-scheduler has in its queue, in order."""
    waiting = [
        pod
        for pod in snapshot.pending()
        if pod.scheduler_name in ("", "default-scheduler") and not (pod.scheduling_gates or pod.terminating)
    ]
    return tuple((pod, shape_of(snapshot, pod)) for pod in queue_order(waiting))
