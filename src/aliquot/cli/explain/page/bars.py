"""Bars: who has how much of a resource, what is free, what nobody can get."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from aliquot.advisor.inventory.value import Counted, Hold
from aliquot.advisor.owners import OwnerRef

CELLS = 32
"""Units that are drawn one by one; more are drawn in proportion, an owner's together."""
COLOURS = 10


@dataclass(slots=True)
class Palette:
    """A colour for each owner, in the order in which they are met."""

    given: dict[OwnerRef, int] = field(default_factory=dict[OwnerRef, int])

    def of(self, owner: OwnerRef) -> str:
        """Its class in the style sheet."""
        return f"o{self.given.setdefault(owner, len(self.given)) % COLOURS}"


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar."""

    style: str
    """`oN` held by an owner, `f` free, `x` not to be had."""
    width: int
    told: str
    """What a person reads who points at it."""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """One resource, one kind of device, or one chip."""

    name: str
    words: str
    free: int
    total: int
    segments: tuple[Segment, ...]
    badge: str = ""
    shared: bool = False
    note: str = ""
    scaled: bool = False
    """Its pieces are drawn in proportion, not unit by unit."""
    lost: int = 0
    """Units that nobody can get: unhealthy, tainted, not allocatable."""
    known: bool = True
    """False: which of it are held isn't known."""


def of_counted(one: Counted, palette: Palette) -> Bar:
    """A counted resource: which device a pod has isn't known, so that only the amounts mean something."""
    scaled = max(one.allocatable, one.capacity, one.held) > CELLS
    if not scaled:
        segments = [_held(hold, one.resource, palette) for hold in one.holds]
        segments += [Segment("f", 1, f"free: {one.resource}")] * one.free
        segments += [Segment("x", 1, f"not allocatable: {one.resource}")] * one.withheld
    else:
        segments = [
            Segment(palette.of(hold.owner), hold.amount, f"{hold.owner.full}: {hold.amount} {one.resource}")
            for hold in by_owner(one.holds)
        ]
        segments += [Segment("f", one.free, f"{one.free} free: {one.resource}")] if one.free else []
        segments += [Segment("x", one.withheld, f"{one.withheld} not allocatable")] if one.withheld else []
    over = f", {one.held} asked for by the pods there" if one.held > one.allocatable else ""
    lost = f"{one.withheld} of capacity {one.capacity} not allocatable" if one.withheld else ""
    each = f", {one.replicas} shares a GPU" if one.replicas > 1 else ""
    badge = f"{one.sharing}{each}" if one.sharing else ""
    words = f"{one.free} of {one.allocatable} free{over}"
    return Bar(
        one.resource,
        words,
        one.free,
        one.allocatable,
        tuple(segments),
        badge,
        bool(one.sharing),
        lost,
        scaled,
        one.withheld,
    )


def _held(hold: Hold, what: str, palette: Palette) -> Segment:
    leaving = " · terminating" if hold.terminating else ""
    since = f" · since {clock(hold.since)}" if hold.since else ""
    return Segment(palette.of(hold.owner), hold.amount, f"{hold.who} · {hold.amount} {what}{since}{leaving}")


def by_owner(holds: Iterable[Hold]) -> list[Hold]:
    """An owner's holds as one, those with most first."""
    found: dict[OwnerRef, list[Hold]] = {}
    for hold in holds:
        found.setdefault(hold.owner, []).append(hold)
    merged = [
        Hold(
            owner,
            tuple(pod for one in several for pod in one.pods),
            sum(one.amount for one in several),
            since=min((one.since for one in several if one.since), default=""),
            terminating=all(one.terminating for one in several),
        )
        for owner, several in found.items()
    ]
    return sorted(merged, key=lambda one: (-one.amount, one.owner.full))


def clock(text: str) -> str:
    """To the minute."""
    return text[:16].replace("T", " ")
