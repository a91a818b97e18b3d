"""What stands behind the sockets: whoever prepares claims for one driver."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDevice:
    """A device that a claim holds, as the kubelet is told of it."""

    requests: tuple[str, ...]
    pool: str
    device: str
    cdi_ids: tuple[str, ...]
    share_id: str | None = None


class Drives(Protocol):
    """Prepares claims, from any number of threads; both calls may come again and again for the same claim."""

    def prepare(self, claim: ClaimRef) -> Sequence[GivenDevice] | Refusal:
        """The devices of a claim, ready to be used, or why not."""
        ...

    def unprepare(self, claim: ClaimRef) -> Refusal | None:
        """Let go of a claim; of one that isn't known there's nothing to do."""
        ...
