"""The fewest moves that place as many pods as any choice of ours does."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from aliquot.advisor.causes.cause import listed
from aliquot.advisor.explain import explain
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.plan_all.joint import World, gained, made, one_after_the_other, placed
from aliquot.advisor.plan_all.moves import Move, moves
from aliquot.advisor.plan_all.value import Left, Plan, Step
from aliquot.advisor.wayout import harm
from aliquot.advisor.wishes import NO_WISHES, Wishes
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

ROUNDS = 3
MOST_STEPS = 12
"""In each round."""
MOST_MOVES = 32
"""Moves that are tried for each step."""
MOST_ASKED_AGAIN = 64
"""Pods that are asked again what would help them, once some steps are made."""
MOST_TIMES = 64
"""Nodes of one kind."""
NO_ROOM = "There's room for it by itself, but none is left once the others are placed."


def plan_all(
    snapshot: Snapshot,
    stories: Sequence[Explanation],
    scheduler: Scheduler,
    node_groups: Snapshot | None = None,
    wishes: Wishes = NO_WISHES,
) -> Plan:
    """One plan for all of these pods that wait.

    Each round takes the move that ends no running pod, if one helps, and of such the one that places most. Then every
    move is left out once (of several nodes, one), and stays out if as many pods are placed without it.

    Args:
        snapshot: the cluster.
        stories: of the asked pods.
        scheduler: who decides.
        node_groups: nodes that could be added, one of each group, with their slices.
        wishes: which ways out are wanted.
    """
    waits = [one for one in stories if one.verdict in ("pending", "placeable", "blocked", "gated")]
    asked = {one.pod.key for one in waits}
    start = _start(snapshot, waits)
    now = placed(start, scheduler)

    def offered(world: World) -> list[Move]:
        """In the world after some moves: what would help those that still wait."""
        still = [pod for key, pod in world.pods.items() if key in asked & world.eligible and key not in world.nodes]
        told = explain(world.snapshot, still[:MOST_ASKED_AGAIN], scheduler, node_groups, wishes)
        return moves(world.snapshot, told, scheduler, wishes, world.nodes)

    chosen = _enough(now, moves(snapshot, waits, scheduler, wishes), offered, asked, scheduler)
    chosen = _fewest(now, chosen, asked, scheduler)
    worlds = [now, *one_after_the_other(now, chosen, scheduler)]
    nodes = {key: node for key, node in sorted(worlds[-1].nodes.items()) if key in asked}
    steps = [_step(move, gained(worlds[nth], worlds[nth + 1], asked)) for nth, move in enumerate(chosen)]
    end = worlds[-1]
    left = tuple(Left(one.pod.key, _why(one, end, scheduler)) for one in waits if one.pod.key not in nodes)
    return Plan(tuple(sorted(asked)), gained(start, now, asked), tuple(steps), left, nodes)


def _start(snapshot: Snapshot, waits: Sequence[Explanation]) -> World:
    """All that wait are in it, asked for or not: they take room too."""
    pods = {one.key: one for one in snapshot.pending() if not one.scheduling_gates}
    stopped = {one.pod.key for one in waits if one.verdict in ("blocked", "gated")}
    eligible = frozenset(
        key for key, one in pods.items() if one.scheduler_name in ("", "default-scheduler") and key not in stopped
    )
    return World(snapshot, {**{one.pod.key: one.pod for one in waits}, **pods}, eligible)


def _enough(
    now: World, first: list[Move], offered: Callable[[World], list[Move]], asked: set[str], scheduler: Scheduler
) -> list[Move]:
    """Chosen one after the other; where that ends, those that still wait are asked what would help them then."""
    chosen: list[Move] = []
    world = now
    for nth in range(ROUNDS):
        there = {one.way.title for one in chosen}
        rest = [one for one in (offered(world) if nth else first) if one.again or one.way.title not in there]
        more, world = _greedy(world, rest[:MOST_MOVES], asked, scheduler)
        if nth and not more:
            break
        chosen = _together([*chosen, *more])
    return chosen


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A move, and how it ranked when it was tried last: smaller is better."""

    move: Move
    ends: bool
    least: int
    """How many it placed, negative."""
    nth: int

    @property
    def key(self) -> tuple[bool, int, int]:
        """What ends nobody first, then what places most, then the better way out."""
        return self.ends, self.least, self.nth


def _greedy(now: World, offered: Sequence[Move], asked: set[str], scheduler: Scheduler) -> tuple[list[Move], World]:
    """One after the other. Room only gets less: what placed few pods isn't tried again before what placed more."""
    world, chosen = now, list[Move]()
    rest: list[_Ranked] = [_Ranked(move, _ends(move), -len(asked), nth) for nth, move in enumerate(offered)]
    while rest and len(chosen) < MOST_STEPS:
        best: tuple[_Ranked, World] | None = None
        known: dict[int, _Ranked] = {}
        for one in sorted(rest, key=lambda ranked: ranked.key):
            if best is not None and best[0].key <= one.key:
                break
            after = made(world, one.move, scheduler)
            again = known[one.nth] = replace(one, least=-len(gained(world, after, asked)))
            if again.least and (best is None or again.key < best[0].key):
                best = (again, after)
        rest = [one for one in (known.get(each.nth, each) for each in rest) if one.least]
        if best is None:
            break
        found, world = best
        times = 1
        while found.move.again and times < MOST_TIMES:
            after = made(world, found.move, scheduler)
            if len(gained(world, after, asked)) < -found.least:
                break
            world, times = after, times + 1
        chosen.append(found.move.of(times))
        if not found.move.again:
            rest = [one for one in rest if one.nth != found.nth]
    return chosen, world


def _together(chosen: Sequence[Move]) -> list[Move]:
    """Nodes of one kind that were chosen in several rounds are one step."""
    found: dict[object, Move] = {}
    for move in chosen:
        key = (move.way.after.node, move.way.kind) if move.again else id(move)
        there = found.get(key)
        found[key] = move if there is None else there.of(there.times + move.times)
    return list(found.values())


def _ends(move: Move) -> bool:
    """It ends pods that run, or dares much: only where nothing else helps."""
    return bool(move.way.after.stopped) or move.way.risk.level == "high"


def _fewest(now: World, chosen: list[Move], asked: set[str], scheduler: Scheduler) -> list[Move]:
    """Without moves that nothing depends on, and with as few nodes as it takes."""

    def count(several: list[Move]) -> int:
        return len(gained(now, [now, *one_after_the_other(now, several, scheduler)][-1], asked))

    most = count(chosen)
    for move in reversed(chosen):
        for fewer in _lesser(chosen, move):
            if count(fewer) >= most:
                chosen = fewer
                break
    return chosen


def _lesser(chosen: list[Move], move: Move) -> Iterator[list[Move]]:
    """Without it; else with one node less, as far as that goes."""
    yield [one for one in chosen if one is not move]
    if move.times > 1:
        yield [one.of(one.times - 1) if one is move else one for one in chosen]


def _step(move: Move, places: tuple[str, ...]) -> Step:
    way = move.way
    return Step(way.kind, way.title, way.changes, way.cost, way.risk, places, way.after.stopped)


def _why(story: Explanation, end: World, scheduler: Scheduler) -> str:
    """Why it still waits."""
    key = story.pod.key
    decision = scheduler.judge(end.snapshot, end.pods[key]) if key in end.eligible else None
    if isinstance(decision, Placement) and decision.preemption is not None:
        chosen = decision.preemption
        by = f"by preempting {listed(chosen.victims)}{harm(chosen)}"
        return f"The scheduler places it on {chosen.node} {by}: no step does without."
    if story.verdict == "placeable":
        return NO_ROOM
    untried = next((way for way in story.ways_out if not way.simulated), None)
    more = f" What helps it can't be tried on a copy of the input: {untried.title}." if untried is not None else ""
    return story.sentence + more
