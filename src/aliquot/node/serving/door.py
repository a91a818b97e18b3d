"""What stands behind the sockets: whoever prepares claims for one driver (`node.preparing.preparer.Preparer`)."""

from typing import Protocol

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.answers import Prepared


class Drives(Protocol):
    """Prepares claims, from any number of threads; both calls may come again and again for the same claim."""

    def prepare(self, claim: ClaimRef) -> Prepared | Refusal:
        """The devices of a claim, ready to be used, or why not."""
        ...

    def unprepare(self, claim: ClaimRef) -> Refusal | None:
        """Let go of a claim; of one that isn't known there's nothing to do."""
        ...
