"""Which ways out work: each candidate is applied to the snapshot and judged again; only what places the pod is kept.

A way is minimal: of a combination every step is left out once, and what still places the pod without it is kept.
And none is dominated: a way that contains another one's changes, or stops more for the same, is dropped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from aliquot.advisor.case import Case, Spot, problem_of
from aliquot.advisor.changes import merged
from aliquot.advisor.queue.contested import contested
from aliquot.advisor.remedies.selectors import OTHER_KIND
from aliquot.advisor.remedies.table import FIRST_STEPS, REMEDIES
from aliquot.advisor.wayout import After, Candidate, Cost, Risk, WayOut
from aliquot.advisor.wishes import LEVELS
from aliquot.scheduling.outcome import Placement

MOST_CHANGES = 3
"""Changes in one combined way out."""
MOST_OF_A_KIND = 6
MOST_COMBINED = 8
SLIP = 6
"""The rank of a corrected slip, at most."""
MOST_FIRST_STEPS = 6
"""First steps that combinations start from."""


def ways_out(case: Case) -> list[WayOut]:
    """All that help, best first. Combinations only where no single change of what's there does."""
    found = list(_kept(case, singles(case)))
    if not any(one.kind not in ("add-node", "free-device") for one in found):
        found += combined(case)
    return sorted((contested(case, way) for way in undominated(found)), key=case.wishes.key)


def candidates(case: Case) -> Iterator[Candidate]:
    """Everything that could help and is wanted, untried."""
    for remedy in REMEDIES:
        yield from filter(case.wishes.allow, remedy(case))


def singles(case: Case) -> Iterator[WayOut]:
    """Candidates that alone place the pod."""
    tried: set[tuple[str, str, str]] = set()
    for candidate in candidates(case):
        key = (candidate.kind, candidate.target, repr([(change.patch, change.command) for change in candidate.changes]))
        if key in tried:
            continue
        tried.add(key)
        after = attempt(case, (candidate,))
        if after is not None:
            yield way_of((candidate,), after)


def way_of(steps: Sequence[Candidate], after: After) -> WayOut:
    """A way out of one or several steps that were tried together."""
    first, last = steps[0], steps[-1]
    if len(steps) == 1:
        return WayOut(
            kind=first.kind,
            target=first.target,
            title=first.title,
            changes=first.changes,
            cost=first.cost,
            risk=first.risk,
            rank=first.rank,
            isolates=first.isolates,
            after=after,
            steps=(first,),
            simulated=first.simulated,
        )
    titles = [first.title, *(f"{one.title[:1].lower()}{one.title[1:]}" for one in steps[1:])]
    priced = next((one.cost for one in reversed(steps) if one.cost.usd_per_hour != 0), last.cost)
    worst = max((one.risk for one in steps), key=lambda risk: LEVELS.index(risk.level))
    return WayOut(
        kind="combined",
        target="+".join(dict.fromkeys(one.target for one in steps)),
        title="; then: ".join(titles),
        changes=merged([change for one in steps for change in one.changes]),
        cost=Cost(priced.usd_per_hour, priced.text),
        risk=Risk(worst.level, "; ".join(dict.fromkeys(one.risk.text for one in steps))),
        rank=sum(one.rank for one in steps),
        isolates=next((one.isolates for one in reversed(steps) if one.isolates), None),
        after=replace(after, stopped=tuple(dict.fromkeys(key for one in steps for key in one.stops))),
        steps=tuple(steps),
    )


def attempt(case: Case, steps: Sequence[Candidate]) -> After | None:
    """Judge the pod in the world that the steps make; None: it stays pending."""
    if len(steps) == 1 and steps[0].tried is not None:
        return steps[0].tried
    return _judged(case, steps)


def _judged(case: Case, steps: Sequence[Candidate]) -> After | None:
    """Judged afresh, from the case's own world: what a candidate knew of another world doesn't count."""
    last = steps[-1]
    trial = case.trial
    for step in steps:
        trial = step.apply(trial)
    stopped = tuple(key for step in steps for key in step.stops)
    if last.anywhere or last.tried is not None:
        decision = case.scheduler.judge(trial.snapshot, trial.pod)
        if not isinstance(decision, Placement) or not decision.nodes:
            return None
        return After(decision.nodes[0], (), stopped)
    if not case.placed(trial, last.node):
        return None
    return After(last.node, (), stopped)


def combined(case: Case) -> list[WayOut]:
    """Two or three changes that help together, none of them needless."""
    found: dict[tuple[str, ...], WayOut] = {}
    for first in _first_steps(case):
        for steps in _continued(case, (first,)):
            way = _minimal(case, steps)
            if way is not None and len(way.steps) > 1:
                found.setdefault(tuple(sorted(change.command for change in way.changes)), way)
    return sorted(found.values(), key=case.wishes.key)[:MOST_COMBINED]


def _minimal(case: Case, steps: Sequence[Candidate]) -> WayOut | None:
    """The steps that are needed: any that can be left out is."""
    kept = list(steps)
    for step in steps:
        fewer = [one for one in kept if one is not step]
        if fewer and _judged(case, fewer) is not None:
            kept = fewer
    after = _judged(case, kept)
    return way_of(kept, after) if after is not None else None


def _first_steps(case: Case) -> list[Candidate]:
    """Cures of the first problem on nodes that have few: cordon before taint before selector before resources."""
    spots = sorted(case.spots, key=lambda spot: (len(spot.problems), spot.node.name))
    steps: list[Candidate] = []
    for spot in spots:
        if not 0 < len(spot.problems) <= MOST_CHANGES:
            continue
        one = replace(case, spots=(spot,))
        first = (spot.reasons[0].filter, problem_of(spot.reasons[0]))
        offered = (candidate for remedy in FIRST_STEPS for candidate in remedy(one) if candidate.cures in first)
        cures = filter(case.wishes.allow, offered)
        # of a node with one problem a corrected slip alone, which shows what it's short of really
        steps += [cure for cure in cures if len(spot.problems) > 1 or cure.rank <= SLIP]
        if len(steps) >= MOST_FIRST_STEPS:
            break
    return sorted(steps, key=lambda step: step.rank)[:MOST_FIRST_STEPS]


def _continued(case: Case, steps: tuple[Candidate, ...]) -> Iterator[tuple[Candidate, ...]]:
    """Sequences that begin with these steps and place the pod."""
    trial = case.trial
    for step in steps:
        trial = step.apply(trial)
    node = steps[0].node
    reasons = case.scheduler.reasons(trial.snapshot, trial.pod, node)
    if not reasons:
        return
    spots = (Spot(trial.snapshot.nodes[node], reasons),)
    rest = replace(case, snapshot=trial.snapshot, pod=trial.pod, spots=spots)
    seconds = [way.steps[0] for way in _kept(rest, singles(rest)) if way.kind != "add-node" or steps[0].target == "pod"]
    for second in seconds:
        yield (*steps, second)
    if not seconds and len(steps) < MOST_CHANGES - 1:
        for step in _first_steps(rest):
            yield from _continued(case, (*steps, step))


def undominated(ways: Sequence[WayOut]) -> list[WayOut]:
    """Without those that contain another one's changes, or that stop more pods than another one of the same kind."""

    def worse(way: WayOut, other: WayOut) -> bool:
        mine, theirs = (
            {(change.command, repr(change.patch)) for step in one.steps for change in step.changes}
            for one in (way, other)
        )
        stops, fewer = (set(one.after.stopped) | set(one.after.victims) for one in (way, other))
        if theirs < mine and fewer <= stops and _risk(other) <= _risk(way):
            return True
        return way.kind == other.kind == "free-device" and bool(fewer) and fewer < stops

    return [way for way in ways if not any(worse(way, other) for other in ways if other is not way)]


def _risk(way: WayOut) -> int:
    return LEVELS.index(way.risk.level)


def _kept(case: Case, ways: Iterable[WayOut]) -> Iterator[WayOut]:
    """At most a handful of each kind, the best of them."""
    kinds: dict[str, list[WayOut]] = {}
    for way in ways:
        kinds.setdefault(way.kind, []).append(way)
    for same in kinds.values():
        best = sorted(same, key=case.wishes.key)[:MOST_OF_A_KIND]
        other = [way for way in best if way.kind == "fix-selector" and way.rank >= OTHER_KIND]
        yield from (way for way in best if way not in other[1:])
