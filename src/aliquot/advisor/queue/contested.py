"""A way out is worth less where another waiting pod goes first and takes the room that it makes."""

from dataclasses import replace

from aliquot.advisor.case import Case
from aliquot.advisor.queue.line import ahead
from aliquot.advisor.wayout import WayOut
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import bound, without_pods
from aliquot.scheduling.outcome import Placement
from aliquot.snapshot.snapshot import Snapshot

MOST_KINDS = 40
MOST_PLACED = 64
"""Pods that are placed before this one, and kinds of pods that are looked at: then it's left at that."""


def contested(case: Case, way: WayOut) -> WayOut:
    """The same way, after those that go first were placed in the world that it makes.

    One that could go elsewhere too is sent there, so that nobody is said to take this room who needn't.
    """
    node = way.after.node
    if not way.simulated or not node or case.pod.scheduling_group:
        return way
    trial = case.trial
    for step in way.steps:
        trial = step.apply(trial)
    rivals = ahead(case.snapshot, case.pod, trial.pod)
    if not rivals:
        return way
    world, takers = _after(case, without_pods(trial.snapshot, way.after.victims), node, rivals)
    if not takers or case.scheduler.fits(world, trial.pod, node):
        return way
    decision = case.scheduler.judge(world, trial.pod)
    if isinstance(decision, Placement) and decision.nodes:
        return replace(way, after=replace(way.after, node=decision.nodes[0]))
    return replace(way, after=replace(way.after, first=tuple(takers)))


def _after(case: Case, world: Snapshot, node: str, rivals: list[tuple[Pod, object]]) -> tuple[Snapshot, list[str]]:
    """With the rivals placed that would fit there, and those that were placed just there."""
    takers: list[str] = []
    refused: set[object] = set()
    seen: set[object] = set()
    placed = 0
    for rival, shape in rivals:
        seen.add(shape)
        if shape in refused or len(seen) > MOST_KINDS or placed >= MOST_PLACED:
            continue
        if node not in world.nodes or not case.scheduler.fits(world, rival, node):
            refused.add(shape)
            continue
        decision = case.scheduler.judge(world, rival)
        if not isinstance(decision, Placement) or not decision.nodes:
            refused.add(shape)
            continue
        chosen = next((name for name in decision.nodes if name != node), node)
        after = bound(world, rival, chosen, case.scheduler)
        if after is None:
            refused.add(shape)
            continue
        world = after
        placed += 1
        if chosen == node:
            takers.append(rival.key)
    return world, takers
