"""Who holds a device already: the scheduler gives none out twice, but pods are deleted by force, and claims race."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, HeldDevice
from aliquot.node.claims.refusal import Refusal, later


@dataclass(frozen=True, slots=True)
class HeldBy:
    """A device is another claim's."""

    refusal: Refusal
    holders: tuple[ClaimRef, ...]


def held_by(wanted: Sequence[HeldDevice], others: Iterable[Entry]) -> HeldBy | None:
    """Which claims hold devices that are wanted, and that can't be shared with them.

    Looking at a device (admin access) is in nobody's way, nor are several shares of one.
    """
    clashes = [(mine, entry, theirs) for entry in others for mine, theirs in _pairs(wanted, entry.devices)]
    if not clashes:
        return None
    told = "; ".join(
        f"{mine.device.device} is held by claim {entry.claim}"
        + (f" as {theirs.device.device}" if theirs.device != mine.device else "")
        for mine, entry, theirs in clashes
    )
    holders = tuple(dict.fromkeys(entry.claim for _, entry, _ in clashes))
    return HeldBy(later(told, "retry when it's unprepared"), holders)


def _pairs(mine: Sequence[HeldDevice], theirs: Sequence[HeldDevice]) -> Iterator[tuple[HeldDevice, HeldDevice]]:
    for one in mine:
        for other in theirs:
            if not (one.admin or other.admin) and _same(one, other) and None in {one.share_id, other.share_id}:
                yield one, other


def _same(one: HeldDevice, other: HeldDevice) -> bool:
    """One device, or a whole GPU and an instance on it. Names may have moved at a reboot, UUIDs haven't."""
    if one.device == other.device:
        return True
    if one.gpu is None or one.gpu != other.gpu:
        return False
    return one.place is None or other.place is None or one.place == other.place
