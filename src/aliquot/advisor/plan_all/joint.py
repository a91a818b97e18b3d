"""All that wait placed together, in the queue's order, in a world that several ways out make."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from aliquot.advisor.plan_all.moves import Move
from aliquot.advisor.queue.line import queue_order
from aliquot.advisor.queue.shapes import shape_of
from aliquot.advisor.wayout import Trial
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import bound
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.placing.placing_loop import Loop
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class World:
    """The cluster after some moves, and where the waiting pods went."""

    snapshot: Snapshot
    pods: Mapping[str, Pod]
    """All that wait, or waited, as the moves make them."""
    eligible: frozenset[str]
    """Those that the scheduler has in its queue, or has once a move was made for them."""
    nodes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Pod -> its node."""


def moved(world: World, move: Move) -> World:
    """With one move made."""
    snapshot, pods = world.snapshot, dict(world.pods)
    once: set[int] = set()
    for key, steps in move.steps.items():
        done = key in world.nodes
        for nth, step in enumerate(steps):
            if nth in once or (done and step.own):
                continue
            trial = step.apply(Trial(snapshot, pods[key]))
            if done and trial.pod is not pods[key]:
                continue  # it has its node
            if trial.snapshot is not snapshot and not step.own:
                once.add(nth)
            snapshot = trial.snapshot
            pods[key] = trial.pod
    return World(snapshot, pods, world.eligible | frozenset(move.steps), world.nodes)


def placed(world: World, scheduler: Scheduler) -> World:
    """With everyone placed for whom there's room, nobody preempted."""
    line = queue_order(one for key, one in world.pods.items() if key in world.eligible and key not in world.nodes)
    if any(pod.claims or pod.scheduling_group for pod in line):
        return _one_by_one(world, line, scheduler)
    nodes = dict(world.nodes)
    loop = Loop(world.snapshot, scheduler)
    for pod in line:
        verdict = loop.place(replace(pod, preemption_policy="Never"))
        if isinstance(verdict, Placement) and verdict.nodes:
            nodes[pod.key] = verdict.nodes[0]
    return World(loop.snapshot, world.pods, world.eligible, nodes)


def _one_by_one(world: World, line: Iterable[Pod], scheduler: Scheduler) -> World:
    """As kube-scheduler's own allocator and gangs decide; of pods alike none is tried after one was refused."""
    snapshot, nodes = world.snapshot, dict(world.nodes)
    refused: set[object] = set()
    for pod in line:
        shape = shape_of(snapshot, pod)
        if shape in refused:
            continue
        node = scheduler.decide(snapshot, pod)
        after = bound(snapshot, pod, node, scheduler) if node is not None else None
        if node is None or after is None:
            refused.add(shape)
            continue
        snapshot = after
        nodes[pod.key] = node
    return World(snapshot, world.pods, world.eligible, nodes)


def from_scratch(start: World, moves: Iterable[Move], scheduler: Scheduler) -> World:
    """All moves made, then everyone placed."""
    world = start
    for move in moves:
        world = moved(world, move)
    return placed(world, scheduler)


def gained(before: World, after: World, asked: Collection[str]) -> tuple[str, ...]:
    """Asked pods that have a node now and had none."""
    return tuple(sorted(key for key in after.nodes if key in asked and key not in before.nodes))
