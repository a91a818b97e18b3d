"""What is held, brought in line: with the claims that still exist, with this boot, and with what is on the host."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from aliquot.devices.gpu import ComputeMode
from aliquot.devices.hosts.protocol import HostFault
from aliquot.node.claims.asked import Asked, read_asked
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, State
from aliquot.node.claims.leaving import after_reboot
from aliquot.node.claims.names import lock_of
from aliquot.node.claims.protocol import ClaimsUnavailable
from aliquot.node.claims.refusal import Refusal
from aliquot.node.preparing.adopting import adopt
from aliquot.node.preparing.locks import Busy, Locks
from aliquot.node.preparing.parts import Parts
from aliquot.node.preparing.preparation import write_spec
from aliquot.node.preparing.undoing import Stuck, undone
from aliquot.sharing.publish.pools import GPU_DRIVER
from aliquot.sharing.setup.steps import StartMps

What = Literal["loss", "adopted", "reboot", "deleted", "half-done", "spec", "daemon", "compute mode", "trouble"]


@dataclass(frozen=True, slots=True)
class Found:
    """Something that wasn't as it should be; it is now, unless it's a trouble."""

    what: What
    message: str

    def __str__(self) -> str:
        return self.message


class Reconciling:
    """One time over everything. What can't be put right now is told, and tried the next time."""

    def __init__(
        self, parts: Parts, locks: Locks, unprepare: Callable[[ClaimRef], Refusal | None], *, lost: bool
    ) -> None:
        """Nothing is done yet.

        Args:
            parts: what it works with.
            locks: shared with whoever prepares.
            unprepare: undoes a claim, with its locks.
            lost: whether the checkpoint was lost, so that what isn't in it may be somebody's all the same.
        """
        self._parts = parts
        self._locks = locks
        self._unprepare = unprepare
        self.lost = lost

    def everything(self) -> tuple[Found, ...]:
        """What was found."""
        return tuple(self._everything())

    def _everything(self) -> Iterator[Found]:
        if self.lost:
            yield from self._rebuilt()
        for entry in tuple(self._parts.checkpoint.now.entries.values()):
            yield from self._each(entry.claim)
        if not self.lost:
            yield from self._specs()
            yield from self._daemons()

    def _rebuilt(self) -> Iterator[Found]:
        try:
            things = self._parts.claims.all()
        except ClaimsUnavailable as outage:
            yield Found("trouble", f"claims can't be listed: {outage}; nothing that isn't known is removed meanwhile")
            return
        for claim in adopt(things, self._parts):
            yield Found("adopted", f"claim {claim} is prepared; a MIG instance of it isn't destroyed when it goes")
        refused = self._parts.checkpoint.save()
        if refused is not None:
            yield Found("trouble", str(refused))
        self.lost = refused is not None

    # --- one claim ---------------------------------------------------------------------------------------------------
    def _each(self, claim: ClaimRef) -> Iterator[Found]:
        try:
            gone, asked = self._in_cluster(claim)
        except ClaimsUnavailable as outage:
            gone, asked = False, None
            yield Found("trouble", f"claim {claim} can't be read: {outage}")
        if gone:
            refused = self._unprepare(claim)
            if refused is not None:
                yield Found("trouble", str(refused))
            else:
                yield Found("deleted", f"claim {claim} was deleted: it's unprepared")
            return
        try:
            yield from self._locked(claim, asked)
        except Busy:
            return  # somebody sees to it just now

    def _in_cluster(self, claim: ClaimRef) -> tuple[bool, Asked | Refusal | None]:
        thing = self._parts.claims.get(claim.namespace, claim.name)
        if thing is None or thing.get("metadata", {}).get("uid") != claim.uid:
            return True, None
        return False, read_asked(thing, claim, driver=self._parts.driver, node=self._parts.node)

    def _locked(self, claim: ClaimRef, asked: Asked | Refusal | None) -> Iterator[Found]:
        now = self._parts.checkpoint.now.entries.get(claim.uid)
        names = [lock_of(each.device.device) for each in now.devices] if now is not None else []
        with self._locks.held([f"claim {claim.uid}", *names], str(claim)):
            entry = self._parts.checkpoint.now.entries.get(claim.uid)
            if entry is None:
                return
            if entry.boot != self._parts.boot:
                yield from self._rebooted(entry, asked)
            elif entry.state is State.STARTED or (entry.state is State.WAITING and isinstance(asked, Refusal)):
                yield from self._dropped(entry)
            elif entry.state is State.COMPLETED:
                yield from self._respecified(entry)

    def _rebooted(self, entry: Entry, asked: Asked | Refusal | None) -> Iterator[Found]:
        """It isn't prepared any more; where its claim has these devices no more, it isn't held either."""
        refused = self._parts.specs.remove(entry.claim.uid) or self._parts.checkpoint.put(
            after_reboot(entry, self._parts.boot)
        )
        if refused is not None:
            yield Found("trouble", str(refused))
        else:
            yield Found("reboot", f"claim {entry.claim} was prepared before the machine was started again")
            if isinstance(asked, Refusal):
                yield from self._dropped(after_reboot(entry, self._parts.boot))

    def _dropped(self, entry: Entry) -> Iterator[Found]:
        left = undone(entry, self._parts)
        refused = left.refusal if isinstance(left, Stuck) else left or self._parts.checkpoint.forget(entry.claim.uid)
        if refused is not None:
            yield Found("trouble", str(refused))
        elif entry.state is State.STARTED:
            yield Found("half-done", f"claim {entry.claim} was half prepared, or half unprepared: it's undone")

    def _respecified(self, entry: Entry) -> Iterator[Found]:
        """The spec may have been lost, or the driver be another one by now."""
        refused = write_spec(entry, self._parts.host.survey(), self._parts)
        if isinstance(refused, Refusal):
            yield Found("trouble", str(refused))

    # --- what no claim has -------------------------------------------------------------------------------------------
    def _specs(self) -> Iterator[Found]:
        self._parts.specs.sweep_drafts()
        written = self._parts.specs.uids()
        known = self._parts.checkpoint.now.entries
        for uid in written:
            if uid not in known:
                refused = self._parts.specs.remove(uid)
                told = f"the CDI spec of claim {uid}, which isn't prepared here, is removed"
                yield Found("spec", told) if refused is None else Found("trouble", str(refused))

    def _daemons(self) -> Iterator[Found]:
        if self._parts.driver != GPU_DRIVER:
            return
        running = self._parts.daemons.daemons_below(self._parts.mps_root)
        steps = (step for entry in self._parts.checkpoint.now.entries.values() for step in entry.steps)
        known = {step.daemon.pipe for step in steps if isinstance(step, StartMps)}
        orphans = [pipe for pipe in running if pipe not in known]
        for pipe in orphans:
            yield self._ended(pipe)
        if orphans:
            yield from self._opened()

    def _ended(self, pipe: str) -> Found:
        try:
            refused = self._parts.daemons.stop_mps(pipe, str(PurePosixPath(pipe).parent / "log"))
        except HostFault as fault:
            return Found("trouble", f"the MPS daemon at {pipe}, which no claim has: {fault}")
        if refused is not None:
            return Found("trouble", f"the MPS daemon at {pipe}, which no claim has: {refused.message}")
        return Found("daemon", f"the MPS daemon at {pipe}, which no claim has, is ended")

    def _opened(self) -> Iterator[Found]:
        """GPUs that a daemon had for itself, and that no claim holds."""
        entries = self._parts.checkpoint.now.entries.values()
        held = {device.use.gpu for entry in entries for device in entry.devices if device.use is not None}
        for gpu in self._parts.host.survey().gpus:
            if gpu.compute_mode is not ComputeMode.EXCLUSIVE_PROCESS or gpu.uuid in held:
                continue
            try:
                refused = self._parts.host.set_compute_mode(gpu.uuid, ComputeMode.DEFAULT)
            except HostFault as fault:
                yield Found("trouble", str(fault))
                continue
            told = f"{gpu.uuid}: compute mode {gpu.compute_mode.value}, and no claim holds it"
            yield (
                Found("compute mode", f"{told}: it's default now")
                if refused is None
                else Found("trouble", f"{told}: {refused.message}")
            )
