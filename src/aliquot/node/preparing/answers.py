"""What the kubelet is told of a prepared claim."""

from dataclasses import dataclass

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDevice:
    """A device as the kubelet wants it."""

    requests: tuple[str, ...]
    pool: str
    device: str
    cdi_ids: tuple[str, ...]
    share_id: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A claim's containers may start."""

    claim: ClaimRef
    devices: tuple[PreparedDevice, ...]
    notes: tuple[str, ...] = ()
    """What the claim asks for and doesn't get, or what changes nothing."""


def answer(entry: Entry, notes: tuple[str, ...] = ()) -> Prepared:
    """The answer for an entry."""
    devices = tuple(
        PreparedDevice(
            requests=each.requests,
            pool=each.device.pool,
            device=each.device.device,
            cdi_ids=each.cdi_ids,
            share_id=each.share_id,
        )
        for each in entry.devices
    )
    return Prepared(entry.claim, devices, notes)
