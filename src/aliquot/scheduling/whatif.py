"""Carry verdicts out on a snapshot: place a pod, or let the scheduler go through a whole queue."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.dynamic_resources import DynamicResources
from aliquot.scheduling.judge import judge
from aliquot.scheduling.outcome import Placement, Verdict
from aliquot.scheduling.versions import Release
from aliquot.snapshot.snapshot import Snapshot

Choose = Callable[[Placement], str]
"""Of a placement's nodes the one to take; the scheduler takes a random one of the best scores."""


def first(placement: Placement) -> str:
    """The first node that takes the pod, or the one that was nominated."""
    return placement.preemption.node if placement.preemption else placement.nodes[0]


def place(snapshot: Snapshot, pod: Pod, placement: Placement, choose: Choose = first) -> Snapshot:
    """The snapshot after the placement: victims gone, the pod bound. A running pod changes nothing."""
    if placement.verdict == "running":
        return snapshot
    if placement.preemption:
        snapshot = snapshot.without_pods(placement.preemption.victims)
    return snapshot.with_pod(pod).bind(pod.key, choose(placement))


def queue(pods: Iterable[Pod]) -> list[Pod]:
    """In the scheduler's order: by priority, then the longest waiting (by creation; then as they came)."""
    return sorted(pods, key=lambda pod: (-pod.priority, pod.meta.created or ""))


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of a queue."""

    snapshot: Snapshot
    verdicts: dict[str, Verdict]
    """By the pods' keys, in the order of the queue."""


def replay(
    snapshot: Snapshot,
    pods: Iterable[Pod],
    release: Release,
    dynamic: DynamicResources | None = None,
    choose: Choose = first,
) -> Replay:
    """Judge pods one after the other, each on what the earlier ones left."""
    verdicts: dict[str, Verdict] = {}
    for pod in queue(pods):
        verdict = judge(snapshot, pod, release, dynamic)
        verdicts[pod.key] = verdict
        if isinstance(verdict, Placement):
            snapshot = place(snapshot, pod, verdict, choose)
    return Replay(snapshot, verdicts)
