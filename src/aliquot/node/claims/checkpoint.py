"""The checkpoint: every claim that this node holds, and those that it let go a while ago."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry
from aliquot.sharing.setup.steps import CreateInstance, Step, Target

TOMBSTONES: Final = 256
"""As many as a node can have in one kubelet's retries, several times over; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A value: changes make a new one."""

    entries: Mapping[str, Entry] = field(default_factory=dict[str, Entry])
    """By the claim's UID."""
    tombstones: tuple[ClaimRef, ...] = ()
    """Claims that were unprepared: a prepare that comes late isn't believed before the claim was read anew."""

    def put(self, *entries: Entry) -> "Checkpoint":
        """With these entries, in place of older ones of their claims."""
        new = {entry.claim.uid: entry for entry in entries}
        kept = tuple(each for each in self.tombstones if each.uid not in new)
        return Checkpoint({**self.entries, **new}, kept)

    def handed(self, leaving: Entry, heirs: Mapping[str, tuple[Step, ...]]) -> "Checkpoint":
        """With the entry of a claim that leaves, and with what others undo in its place when they go."""
        given = [
            _inherited(heir, leaving, steps)
            for uid, steps in heirs.items()
            if (heir := self.entries.get(uid)) is not None
        ]
        return self.put(leaving, *given)

    def without(self, uid: str) -> "Checkpoint":
        """Without a claim that never was prepared to its end."""
        return Checkpoint({key: entry for key, entry in self.entries.items() if key != uid}, self.tombstones)

    def buried(self, claim: ClaimRef) -> "Checkpoint":
        """Without a claim that was unprepared."""
        older = tuple(each for each in self.tombstones if each.uid != claim.uid)
        return Checkpoint(self.without(claim.uid).entries, (*older, claim)[-TOMBSTONES:])

    def others(self, uid: str) -> tuple[Entry, ...]:
        """The entries of other claims."""
        return tuple(entry for key, entry in self.entries.items() if key != uid)

    def is_buried(self, uid: str) -> bool:
        """Whether the claim was unprepared lately."""
        return any(each.uid == uid for each in self.tombstones)


def _inherited(heir: Entry, leaving: Entry, steps: tuple[Step, ...]) -> Entry:
    """An heir with the steps of who leaves, and with the instances by which those are known to be ours."""
    made = {Target(step.gpu, step.place) for step in steps if isinstance(step, CreateInstance)}
    seen = {device.target: device.instance for device in leaving.devices if device.target in made}
    devices = tuple(
        replace(device, instance=seen[device.target]) if device.target in seen else device for device in heir.devices
    )
    return replace(heir, devices=devices, steps=(*(step for step in steps if step not in heir.steps), *heir.steps))
