"""What the queue will do to pods that have room now: a forecast, marked as one, never told as fact."""

from collections.abc import Iterable, Mapping

from aliquot.advisor.causes.cause import listed
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import bound
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

PLAIN = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})
MOST_PLACED = 400
"""Pods that are placed one after the other before the forecast ends."""


def queue_order(pods: Iterable[Pod]) -> list[Pod]:
    """As the scheduler takes them: by priority, then the longest waiting."""
    return sorted(pods, key=lambda one: (-one.priority, one.meta.created or "", one.key))


def forecast(snapshot: Snapshot, pods: Iterable[Pod], scheduler: Scheduler) -> Mapping[str, str]:
    """Pod -> what becomes of it once those before it in the queue are placed; nothing where that's no different.

    Args:
        snapshot: the cluster.
        pods: all pods that wait and have room now, each by itself.
        scheduler: who decides.
    """
    said: dict[str, str] = {}
    world = snapshot
    placed: list[Pod] = []
    for pod in queue_order(pods):
        node = scheduler.decide(world, pod)
        if node is None:
            before = [one.key for one in placed if _alike(one, pod)] or [one.key for one in placed]
            verb = "is" if len(before) == 1 else "are"
            said[pod.key] = (
                f"Forecast: after {listed(before)} {verb} placed (earlier in the queue), no room is left for it."
            )
            continue
        after = bound(world, pod, node, scheduler)
        if after is not None and len(placed) < MOST_PLACED:
            world = after
            placed.append(pod)
    return said


def _alike(one: Pod, other: Pod) -> bool:
    """They compete for devices, or neither asks for any."""
    mine, theirs = (set(effective_request(pod)) - PLAIN for pod in (one, other))
    return (
        bool(mine & theirs) or bool(one.claims and other.claims) or not (mine or theirs or one.claims or other.claims)
    )
