"""Stories that belong together: told once for pods that differ only in name, in one line for one cause."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from aliquot.advisor.explanation.value import Explanation

ORDER = ("pending", "blocked", "gated", "placeable", "running")
SIGNS = {"running": "✔", "placeable": "✔", "pending": "✘", "gated": "◌", "blocked": "✘"}

STYLES = {"running": "green", "placeable": "green", "pending": "red", "gated": "yellow", "blocked": "red"}

MARKS = {
    "✘": "can't be placed, or can't start",
    "◌": "gated: the scheduler doesn't look at it yet",
    "?": "would be placed, as far as checked or until others are",
}
"""What the signs mean that don't say it themselves."""

Group = tuple[Explanation, list[Explanation]]
"""A story, and those that differ from it only in the pod's name."""


def together(stories: Iterable[Explanation]) -> list[Group]:
    """Stories that differ only in the pod's name, under the first."""
    found: dict[object, Group] = {}
    for story in stories:
        key = (story.owner, story.verdict, story.shape) if story.shape is not None else (story.pod.key,)
        if key in found:
            found[key][1].append(story)
        else:
            found[key] = (story, [])
    return [(replace(story, forecast=_forecast(story, twins)), twins) for story, twins in found.values()]


def _forecast(story: Explanation, twins: Sequence[Explanation]) -> str:
    """The queue's line for pods told as one: how many of them have room beside each other."""
    without = [one for one in (story, *twins) if one.forecast]
    if not without or not twins:
        return story.forecast
    every = 1 + len(twins)
    fit = every - len(without)
    first = without[0].forecast.removeprefix("Forecast: ")
    have = f"{fit or 'none'} of these {every} pods {'have' if fit > 1 else 'has'} room"
    return f"Forecast: as the queue takes them, {have}; for {without[0].pod.key}: {first}"


def in_order(stories: Iterable[Explanation]) -> list[Group]:
    """The same, those first for which something must be done; then by namespace and owner."""

    def place(group: Group) -> tuple[int, str, str]:
        return ORDER.index(group[0].verdict), group[0].pod.namespace, group[0].owner.name

    return sorted(together(stories), key=place)


def unsure(story: Explanation) -> bool:
    """It has room as far as was checked, or until the queue's others are placed: no tick for that."""
    return story.verdict == "placeable" and bool(story.not_checked or story.forecast)


def by_cause(groups: Iterable[Group]) -> Sequence[Sequence[Group]]:
    """Groups with one cause side by side, in the order of the first of each."""
    causes: dict[object, list[Group]] = {}
    for group in groups:
        story = group[0]
        causes.setdefault((story.verdict, story.sentence if story.cause else story.pod.key), []).append(group)
    return list(causes.values())


def mark(story: Explanation) -> tuple[str, str]:
    """The verdict's sign and its style; room that isn't sure is no green tick."""
    return ("?", "yellow") if unsure(story) else (SIGNS[story.verdict], STYLES[story.verdict])
