"""What the queue will do to pods that have room now: a forecast, marked as one, never told as fact."""

from collections.abc import Iterable, Mapping

from aliquot.advisor.causes.cause import listed
from aliquot.advisor.queue.line import compete, queue_order
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import bound
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

MOST_PLACED = 400
"""Pods that are placed one after the other before the forecast ends."""


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
            before = [one.key for one in placed if compete(one, pod)] or [one.key for one in placed]
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
