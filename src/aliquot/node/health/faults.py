"""The faults of one GPU: new ones beside those that stand, and what came of each between two looks."""

from collections.abc import Iterable
from dataclasses import replace

from aliquot.node.health.moments import Moment
from aliquot.node.health.states import Fault, Weight
from aliquot.sharing.publish.health import XID


def joined(standing: Iterable[Fault], new: Fault) -> tuple[Fault, ...]:
    """With one more: one that stands already keeps since when, and counts as told again.

    What kept claims off takes the place of the same that was only shown, and isn't made less by it.
    """
    kept = list(standing)
    for place, old in enumerate(kept):
        if old.what == new.what:
            kept[place] = replace(new, since=old.since)
            return tuple(kept)
    if new.weight is Weight.SHOWN and any(_same(old, new) for old in kept if old.weight is Weight.KEEPS_OFF):
        return tuple(kept)
    kept = [old for old in kept if new.weight is Weight.SHOWN or not _same(old, new)]
    return (*kept, new)


def _same(one: Fault, other: Fault) -> bool:
    return (one.key, one.value) == (other.key, other.value)


def fault(
    key: str, value: str, message: str, moment: Moment, weight: Weight = Weight.KEEPS_OFF, gi: int | None = None
) -> Fault:
    """A new one."""
    return Fault(
        key=key,
        value=value,
        weight=weight,
        message=message,
        since=moment.wall,
        up=moment.up,
        boot=moment.boot,
        gi=gi,
    )


def mended(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """After a reset: what XIDs told may be over."""
    return tuple(replace(one, mended=True) if one.key == XID else one for one in faults)
