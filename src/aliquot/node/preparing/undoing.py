"""A claim's steps undone on the host, and what of the checkpoint follows."""

from dataclasses import dataclass, replace

from aliquot.devices.hosts.protocol import GpuLost
from aliquot.node.claims.entry import Entry, State
from aliquot.node.claims.leaving import leaving
from aliquot.node.claims.refusal import Refusal, later
from aliquot.node.preparing.parts import Parts
from aliquot.sharing.setup.carry_out import Failed, try_each


@dataclass(frozen=True, slots=True)
class Stuck:
    """Something of a claim couldn't be undone; its entry remembers it, and it's tried again."""

    refusal: Refusal
    lost: bool
    """Only since GPUs are lost: nothing runs on those, and what was done to them goes at the next start."""


def undone(entry: Entry, parts: Parts) -> Stuck | Refusal | None:
    """Undo what was done for a claim, and remove its spec; its entry stays.

    The checkpoint says so before: an entry that's half undone is no prepared one. Its GPUs are locked by the caller.
    """
    if entry.steps or entry.state is not State.COMPLETED:
        others = parts.checkpoint.now.others(entry.claim.uid)
        what = leaving(entry, others, parts.host.survey(), boot=parts.boot)
        begun = replace(entry, boot=parts.boot, state=State.STARTED, steps=what.undone)
        if begun != entry or what.heirs:
            refused = parts.checkpoint.hand_over(begun, what.heirs)
            if refused is not None:
                return refused
        failed = try_each([step.undo for step in reversed(what.undone)], parts.host, parts.daemons)
        if failed:
            return _stuck(entry, failed)
    return parts.specs.remove(entry.claim.uid)


def _stuck(entry: Entry, failed: tuple[Failed, ...]) -> Stuck:
    told = "; ".join(str(each) for each in failed)
    return Stuck(
        later(f"claim {entry.claim} can't be undone yet: {told}"), all(isinstance(each.why, GpuLost) for each in failed)
    )
