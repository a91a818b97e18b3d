"""Less than everything: what certain nodes say (`--node`), and certain causes (`--cause`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from aliquot.advisor.alike import alike_groups
from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.nearest import nearest
from aliquot.cli.explain.answer import Mistake
from aliquot.scheduling.outcome import NodeGroup, Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Only:
    """What to leave away."""

    node: Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)] = ()
    """Only what this node says: its reasons, who holds its devices, the ways out that lead to it."""
    cause: Annotated[tuple[str, ...], Parameter(negative=(), show_default=False)] = ()
    """Only pods that wait for this: a kind of cause, as -o json names it (held, taint, quota, ...), or a part of the
    cause's sentence."""


EVERYTHING = Only()


def filtered(
    snapshot: Snapshot, stories: Sequence[Explanation], scheduler: Scheduler, only: Only
) -> Sequence[Explanation] | Mistake:
    """The stories that are asked for, and of each what is asked for."""
    for node in only.node:
        if node not in snapshot.nodes:
            close = listed(nearest(node, snapshot.nodes)[:3], last="or")
            return Mistake(f"--node {node}: there's no such node in the input", f"nearest: {close}" if close else "")
    if only.cause:
        found = [story for story in stories if any(_waits_for(story, text) for text in only.cause)]
        if not found:
            return Mistake(f"--cause {', '.join(only.cause)}: no pod in this answer waits for that", _kinds(stories))
        stories = found
    if only.node:
        stories = [
            _on(snapshot, story, scheduler, only.node)
            for story in stories
            if story.verdict != "running" or story.node in only.node
        ]
    return stories


def _waits_for(story: Explanation, text: str) -> bool:
    if story.cause is None:
        return False
    return text.lower() in story.cause.kind or text.lower() in story.cause.sentence.lower()


def _kinds(stories: Sequence[Explanation]) -> str:
    counts: dict[str, int] = {}
    for story in stories:
        if story.cause is not None:
            counts[story.cause.kind] = counts.get(story.cause.kind, 0) + 1
    if not counts:
        return "no pod in it waits for anything"
    return "its causes: " + ", ".join(f"{kind} ({number(count, 'pod')})" for kind, count in counts.items())


def _on(snapshot: Snapshot, story: Explanation, scheduler: Scheduler, nodes: tuple[str, ...]) -> Explanation:
    groups = tuple(
        NodeGroup(there, group.reasons)
        for group in story.groups
        if (there := tuple(node for node in group.nodes if node in nodes))
    )
    note = story.note
    if story.verdict == "placeable":
        note = " ".join(filter(None, (_room(snapshot, story, scheduler, nodes), note)))
    return replace(
        story,
        groups=groups,
        alike=tuple(alike_groups(groups)),
        feasible=tuple(node for node in story.feasible if node in nodes),
        holdings=tuple(held for held in story.holdings if held.node in nodes),
        ways_out=tuple(way for way in story.ways_out if way.after.node in nodes),
        stories={node: told for node, told in story.stories.items() if node in nodes},
        note=note,
        only_nodes=nodes,
        shape=None if story.shape is None else (story.shape, nodes),
    )


def _room(snapshot: Snapshot, story: Explanation, scheduler: Scheduler, nodes: tuple[str, ...]) -> str:
    """Of a pod that has room somewhere: what these nodes say to it."""
    decision = scheduler.judge(snapshot, story.pod)
    if not isinstance(decision, Placement) or decision.by_node is None:
        return ""
    if len(decision.nodes) == 1 and decision.nodes == nodes:
        return ""  # the verdict's sentence says it
    told: list[str] = []
    for node in nodes:
        if node in decision.nodes:
            told.append(f"{node} has room for it.")
        else:
            reasons = "; ".join(dict.fromkeys(reason.text for reason in decision.by_node.reasons(node)))
            told.append(f"{node} doesn't take it: {reasons}." if reasons else f"{node} isn't among those with room.")
    return " ".join(told)
