"""All that wait placed together, in the queue's order, in a world that several ways out make."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from aliquot.advisor.plan_all.moves import Move
from aliquot.advisor.queue.line import queue_order
from aliquot.advisor.queue.shapes import shape_of
from aliquot.advisor.wayout import Trial
from aliquot.kube.pod import Pod
from aliquot.scheduling.binding import bound
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


def placed(world: World, scheduler: Scheduler, only: Collection[str] | None = None) -> World:
    """With everyone placed for whom there's room, nobody preempted; of pods alike none is tried after a refused one.

    Args:
        world: which.
        scheduler: who decides.
        only: pods for which something has changed; None: for all.
    """
    snapshot, nodes = world.snapshot, dict(world.nodes)
    refused: set[object] = set()
    keys = world.pods.keys() if only is None else only
    for pod in queue_order(world.pods[key] for key in keys if key in world.eligible and key not in nodes):
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


def made(world: World, move: Move, scheduler: Scheduler) -> World:
    """One move made, as in a cluster that runs: who has a node stays there, others go where there's room."""
    after = moved(world, move)
    return placed(after, scheduler, move.steps.keys() if after.snapshot is world.snapshot else None)


def one_after_the_other(now: World, moves: Iterable[Move], scheduler: Scheduler) -> Iterator[World]:
    """The worlds after each of these moves."""
    world = now
    for move in moves:
        world = made(world, move, scheduler)
        yield world


def gained(before: World, after: World, asked: Collection[str]) -> tuple[str, ...]:
    """Asked pods that have a node now and had none."""
    return tuple(sorted(key for key in after.nodes if key in asked and key not in before.nodes))
