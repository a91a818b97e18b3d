"""The best way out in a few words, for a table: with what it costs, and then with the best that costs nothing."""

from collections.abc import Sequence

from aliquot.advisor.causes.cause import listed
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.wayout import WayOut, harm


def best(story: Explanation) -> str:
    """What to do first; where nothing that was tried helps, what is advised; empty: nothing needs to be done."""
    if story.ways_out:
        return _told(story.ways_out)
    if (goes := story.preempts) is not None:
        return f"None needed: on {goes.node} it preempts {listed(goes.victims, 2)}{harm(goes)}"
    advice = next((one.text for one in story.advice), "")
    if story.verdict == "gated":
        return advice[:1].upper() + advice[1:]
    return advice or "none found" if story.verdict in ("pending", "blocked") else ""


def risk(story: Explanation) -> str:
    """Of that: its level; empty where nothing was tried. Who is preempted no longer runs: that's high."""
    if story.ways_out:
        return story.ways_out[0].risk.level
    return "high" if story.preempts is not None else ""


def cause(story: Explanation) -> str:
    """Why something must be done; of a pod that preempts others, why it must."""
    return story.no_room if story.preempts is not None and story.no_room else story.sentence


def _told(ways: Sequence[WayOut]) -> str:
    """The first; money is somebody else's to give, so beside what costs some stands what can be done without."""
    first = ways[0]
    rival = f"{first.after.first[0]} goes first and takes it" if first.after.first else ""
    if first.cost.usd_per_hour == 0:
        return first.title + (f" ({rival})" if rival else "")
    price = "price unknown" if first.cost.usd_per_hour is None else f"${first.cost.usd_per_hour:.2f}/h"
    free = next(
        (way for way in ways if way.cost.usd_per_hour == 0 and bool(way.after.first) <= bool(first.after.first)), None
    )
    facts = f"({'; '.join(part for part in (price, rival) if part)})"
    if free is None:
        return f"{first.title} {facts}"
    what = first.title.partition(":")[0] if first.kind == "add-node" else first.title  # what it has is in the block
    risk = f", at {free.risk.level} risk," if free.risk.level != first.risk.level else ""
    return f"{what} {facts}, or{risk} {free.title[:1].lower()}{free.title[1:]}"
