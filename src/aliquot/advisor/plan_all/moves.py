"""What a plan can be made of: ways out that were offered, for all the pods that they are for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from aliquot.advisor.explain import explain_one
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.wayout import Candidate, WayOut
from aliquot.advisor.wishes import Wishes
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

MOST_SIBLINGS = 16
"""Pods alike whose claims are looked at one by one."""
PER_KIND = 2
"""Ways out of one kind that one cause contributes."""


@dataclass(frozen=True, slots=True)
class Move:
    """One way out, made for pods that are alike."""

    way: WayOut
    steps: Mapping[str, tuple[Candidate, ...]]
    """Pod -> its changes, in order."""
    times: int = 1

    @property
    def again(self) -> bool:
        """It may be made several times over: nodes."""
        return len(self.way.steps) == 1 and self.way.steps[0].several is not None

    def of(self, times: int) -> "Move":
        """Made so often."""
        several = self.way.steps[0].several
        if several is None or times == self.times:
            return self
        one = several(times)
        way = replace(self.way, title=one.title, changes=one.changes, cost=one.cost, steps=(one,))
        return Move(way, dict.fromkeys(self.steps, (one,)), times)


def moves(
    snapshot: Snapshot,
    stories: Sequence[Explanation],
    scheduler: Scheduler,
    wishes: Wishes,
    forecast: Collection[str] = (),
) -> list[Move]:
    """All of these pods' ways out that can be tried together, best first; the same one of several causes once.

    Args:
        snapshot: the cluster that the stories are of.
        stories: of pods that wait.
        scheduler: who decides.
        wishes: which ways out are wanted.
        forecast: pods that have a node there only because they were placed before: nobody can stop them.
    """
    families: dict[object, list[Explanation]] = {}
    for story in stories:
        if story.verdict in ("pending", "blocked"):
            families.setdefault(story.shape, []).append(story)
    found: dict[object, Move] = {}
    for family in families.values():
        first, *rest = family
        seen: dict[str, int] = {}
        for way in first.ways_out:
            seen[way.kind] = seen.get(way.kind, 0) + 1
            if seen[way.kind] > PER_KIND or not _joint(way) or any(key in forecast for key in way.after.stopped):
                continue
            key = tuple(change.command for change in way.changes) + ((way.title,) if way.kind == "add-node" else ())
            steps = {first.pod.key: way.steps, **_siblings(snapshot, way, rest, scheduler, wishes)}
            there = found.get(key)
            found[key] = replace(there, steps={**steps, **there.steps}) if there is not None else Move(way, steps)
    plain = Wishes(prefer=wishes.prefer)
    return sorted(
        found.values(), key=lambda move: plain.key(replace(move.way, after=replace(move.way.after, first=())))
    )


def _joint(way: WayOut) -> bool:
    """It can be tried beside others: it was simulated, and it's no exchange of two pods' places."""
    return (
        way.simulated
        and bool(way.after.node)
        and not any(step.target == "claim" and step.kind == "share" for step in way.steps)
        and not any(step.kind == "move" and step.tried is not None for step in way.steps)
    )


def _siblings(
    snapshot: Snapshot, way: WayOut, rest: Sequence[Explanation], scheduler: Scheduler, wishes: Wishes
) -> Mapping[str, tuple[Candidate, ...]]:
    """The same for pods alike. Each has claims of its own, so that a change of claims is sought for each."""
    if not any(step.own for step in way.steps):
        return {one.pod.key: way.steps for one in rest}
    found: dict[str, tuple[Candidate, ...]] = {}
    for one in rest[:MOST_SIBLINGS]:
        theirs = explain_one(snapshot, one.pod, scheduler, None, wishes).ways_out
        same = next((other for other in theirs if (other.kind, other.title) == (way.kind, way.title)), None)
        if same is not None:
            found[one.pod.key] = same.steps
    return found
