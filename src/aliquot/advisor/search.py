"""Which ways out work: each candidate is applied to the snapshot and judged again; only what places the pod is kept."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from aliquot.advisor.alike import Alike
from aliquot.advisor.case import PER_GROUP, Case, Spot
from aliquot.advisor.device_story import STORIES_TOLD
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.remedies.table import FIRST_STEPS, REMEDIES
from aliquot.advisor.wayout import After, Candidate, Cost, Risk, WayOut, order
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

MOST_CHANGES = 3
"""Changes in one combined way out."""
MOST_OF_A_KIND = 6
MOST_COMBINED = 8
MOST_SPOTS = 40
"""Nodes that ways out are sought for: every group of alike nodes has its best among them before any has its second."""
MOST_FIRST_STEPS = 6
"""First steps that combinations start from."""


def case_of(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    groups: Sequence[Alike],
    refusal: Refusal,
    node_groups: Snapshot | None = None,
) -> Case:
    """Pick, of each group of alike nodes, those nearest to having room."""
    spots: list[tuple[float, Spot]] = []
    error = refusal.reason == "SchedulerError"
    several = Alike(tuple(snapshot.nodes), (), {}, {}, {})
    for group in (several,) if error else groups:
        near = heapq.nsmallest(PER_GROUP, ((_lacking(snapshot, pod, name), name) for name in group.nodes))
        for nth, (lacking, name) in enumerate(near):
            spot = Spot(snapshot.nodes[name], refusal.reasons(name), len(group.nodes))
            spots.append((nth + 2 * len(spot.problems) + lacking, spot))
    spots.sort(key=lambda one: (one[0], one[1].node.name))
    chosen = tuple(spot for _, spot in spots[:MOST_SPOTS])
    told = [spot.node.name for spot in chosen[:STORIES_TOLD]] if pod.claims else []
    found = {name: scheduler.story(snapshot, pod, name) for name in told}
    stories = {name: story for name, story in found.items() if story is not None}
    return Case(
        snapshot=snapshot,
        pod=pod,
        owner=owner,
        scheduler=scheduler,
        spots=chosen,
        stories=stories,
        node_groups=node_groups,
        error=error,
    )


def _lacking(snapshot: Snapshot, pod: Pod, node: str) -> float:
    """How far the node is from holding the pod, as a sum of shares of what's asked."""
    used, room = snapshot.load(node).requested, snapshot.nodes[node].allocatable
    return sum(
        max(0, amount - room.get(name, 0) + used.get(name, 0)) / amount
        for name, amount in effective_request(pod).items()
        if amount
    )


def ways_out(case: Case) -> list[WayOut]:
    """All that help, best first. Combinations only where no single change of what's there does."""
    found = list(_kept(singles(case)))
    if not any(one.kind != "add-node" for one in found):
        found += combined(case)
    return sorted(found, key=order)


def candidates(case: Case) -> Iterator[Candidate]:
    """Everything that could help, untried."""
    for remedy in REMEDIES:
        yield from remedy(case)


def singles(case: Case) -> Iterator[WayOut]:
    """Candidates that alone place the pod."""
    tried: set[tuple[str, str, str]] = set()
    for candidate in candidates(case):
        key = (candidate.kind, candidate.target, repr([(change.patch, change.command) for change in candidate.changes]))
        if key in tried:
            continue
        tried.add(key)
        after = attempt(case, candidate)
        if after is not None:
            yield WayOut(
                kind=candidate.kind,
                target=candidate.target,
                title=candidate.title,
                changes=candidate.changes,
                cost=candidate.cost,
                risk=candidate.risk,
                rank=candidate.rank,
                isolates=candidate.isolates,
                after=after,
            )


def attempt(case: Case, candidate: Candidate) -> After | None:
    """Judge the pod in the changed world, on the node that the change aims at; None: it stays pending."""
    if candidate.tried is not None:
        return candidate.tried
    trial = candidate.apply(case.trial)
    if candidate.anywhere:
        decision = case.scheduler.judge(trial.snapshot, trial.pod)
        if not isinstance(decision, Placement) or not decision.nodes:
            return None
        return After(decision.nodes[0], (), candidate.stops)
    if not case.placed(trial, candidate.node):
        return None
    return After(candidate.node, (), candidate.stops)


def combined(case: Case) -> list[WayOut]:
    """Two or three changes that help together: the first cures one problem of a node, the rest is a case of its own."""
    found: dict[tuple[str, ...], WayOut] = {}
    for first in _first_steps(case):
        for way in _continued(case, first, MOST_CHANGES - 1):
            found.setdefault(tuple(sorted(change.command for change in way.changes)), way)
    return sorted(found.values(), key=order)[:MOST_COMBINED]


def _first_steps(case: Case) -> list[Candidate]:
    """Cures of the first problem on nodes that have few: cordon before taint before selector before resources."""
    spots = sorted(case.spots, key=lambda spot: (len(spot.problems), spot.node.name))
    steps: list[Candidate] = []
    for spot in spots:
        if not 1 < len(spot.problems) <= MOST_CHANGES:
            continue
        one = replace(case, spots=(spot,))
        first = spot.reasons[0].filter
        steps += [candidate for remedy in FIRST_STEPS for candidate in remedy(one) if candidate.cures == first]
        if len(steps) >= MOST_FIRST_STEPS:
            break
    return sorted(steps, key=lambda step: step.rank)[:MOST_FIRST_STEPS]


def _continued(case: Case, first: Candidate, left: int) -> Iterator[WayOut]:
    trial = first.apply(case.trial)
    reasons = case.scheduler.reasons(trial.snapshot, trial.pod, first.node)
    if not reasons:
        return
    rest = replace(
        case, snapshot=trial.snapshot, pod=trial.pod, spots=(Spot(trial.snapshot.nodes[first.node], reasons),)
    )
    seconds = [way for way in _kept(singles(rest)) if way.kind != "add-node" or first.target == "pod"]
    for second in seconds:
        yield _joined(first, second)
    if not seconds and left > 1:
        for step in _first_steps(rest):
            for second in _continued(rest, step, left - 1):
                yield _joined(first, second)


def _joined(first: Candidate, second: WayOut) -> WayOut:
    objects = list(dict.fromkeys([first.target, *second.target.split("+")]))
    levels = ("low", "medium", "high")
    worse = max(first.risk, second.risk, key=lambda risk: levels.index(risk.level))
    cost = second.cost if second.cost.usd_per_hour != 0 else first.cost
    return WayOut(
        kind="combined",
        target="+".join(objects),
        title=f"{first.title}; then: {second.title[:1].lower()}{second.title[1:]}",
        changes=(*first.changes, *second.changes),
        cost=Cost(cost.usd_per_hour, cost.text),
        risk=Risk(worse.level, "; ".join(dict.fromkeys((first.risk.text, second.risk.text)))),
        rank=first.rank + second.rank,
        isolates=second.isolates or first.isolates,
        after=replace(second.after, stopped=first.stops + second.after.stopped),
    )


def _kept(ways: Iterable[WayOut]) -> Iterator[WayOut]:
    """At most a handful of each kind, the best of them."""
    kinds: dict[str, list[WayOut]] = {}
    for way in ways:
        kinds.setdefault(way.kind, []).append(way)
    for same in kinds.values():
        yield from sorted(same, key=order)[:MOST_OF_A_KIND]
