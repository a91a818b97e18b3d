"""The door: claims prepared and unprepared for the kubelet, and brought in line with the cluster and the host."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from aliquot.devices.hosts.protocol import HostFault
from aliquot.devices.mig import Placement
from aliquot.devices.survey import Survey
from aliquot.node.claims.asked import Asked, read_asked
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, State
from aliquot.node.claims.holders import HeldBy
from aliquot.node.claims.leftovers import without_replaced
from aliquot.node.claims.names import lock_of
from aliquot.node.claims.protocol import ClaimsUnavailable
from aliquot.node.claims.refusal import Refusal, later
from aliquot.node.keeping.checkpoint_file import Loss
from aliquot.node.keeping.disk import reason
from aliquot.node.keeping.turns import Turns
from aliquot.node.preparing.answers import Prepared
from aliquot.node.preparing.locks import Busy, Locks
from aliquot.node.preparing.parts import Parts
from aliquot.node.preparing.preparation import prepare, prepared_again
from aliquot.node.preparing.reconciling import Found, Reconciling
from aliquot.node.preparing.undoing import Stuck, undone
from aliquot.sharing.setup.steps import CreateInstance

_TRIES: Final = 3
"""Holders that are gone are cleared away and the claim is tried again; each time another may have come."""
_T = TypeVar("_T")


class Preparer:
    """One driver's claims on one node. For any number of threads; calls may come twice, and in any order."""

    def __init__(self, parts: Parts, *, limit_s: float = 30.0) -> None:
        """Nothing is read or done yet: see `start`.

        Args:
            parts: what it works with.
            limit_s: how long a call waits for others on the same claim or device, or for another agent on this node.
        """
        self._parts = parts
        self._locks = Locks(limit_s=limit_s)
        path = parts.checkpoint.path
        self._turns = Turns(path.with_name(f"{path.name}.lock"), self._load, limit_s=limit_s)
        self._losses = list[Loss]()
        self._lost = False

    # --- what the kubelet asks ---------------------------------------------------------------------------------------
    def prepare(self, claim: ClaimRef) -> Prepared | Refusal:
        """Set a claim's devices up, so that its containers may start.

        A claim that is prepared already gets the same answer, and its spec is written again. A refusal leaves nothing
        behind, but for what it tells.
        """
        for _ in range(_TRIES):
            found = self._inside(lambda: self._prepare(claim))
            if not isinstance(found, HeldBy):
                return found
            if not all(self._released(holder) for holder in found.holders):
                return found.refusal
        return later(f"claim {claim}: its devices are held by one claim after another")

    def unprepare(self, claim: ClaimRef) -> Refusal | None:
        """Undo what was done for a claim; the object may be gone. One that isn't known was unprepared before."""
        return self._inside(lambda: self._unprepare(claim))

    # --- by itself ---------------------------------------------------------------------------------------------------
    def start(self) -> tuple[Found, ...]:
        """Find out what became of everything while no agent ran; before the first call of the kubelet is answered."""
        return self.reconcile()

    def reconcile(self) -> tuple[Found, ...]:
        """Bring what is held in line with the cluster's claims and with the host; harmless at any time.

        Returns:
            What was found and done, and what couldn't be.
        """
        found = self._inside(self._reconcile)
        return (Found("trouble", str(found)),) if isinstance(found, Refusal) else found

    # --- what others look at -----------------------------------------------------------------------------------------
    def held(self) -> Mapping[tuple[str, str], tuple[ClaimRef, ...]]:
        """By pool and device: the claims that hold it; those that only look at it aren't among them."""
        found: dict[tuple[str, str], tuple[ClaimRef, ...]] = {}
        for entry in self._parts.checkpoint.now.entries.values():
            for device in entry.devices:
                key = (device.device.pool, device.device.device)
                if not device.admin and entry.claim not in found.get(key, ()):
                    found[key] = (*found.get(key, ()), entry.claim)
        return found

    def own(self, survey: Survey) -> Mapping[str, tuple[Placement, ...]]:
        """By the GPU's UUID: the MIG instances that were made for claims, and go with them.

        Args:
            survey: the host as it stands; where another instance lies in the place of a claim's, that's others'.
        """
        found: dict[str, tuple[Placement, ...]] = {}
        for entry in self._parts.checkpoint.now.entries.values():
            for step in without_replaced(entry, survey):
                if isinstance(step, CreateInstance):
                    found[step.gpu] = (*found.get(step.gpu, ()), step.place)
        return found

    def entries(self) -> tuple[Entry, ...]:
        """What the checkpoint has."""
        return tuple(self._parts.checkpoint.now.entries.values())

    # --- within ------------------------------------------------------------------------------------------------------
    def _prepare(self, claim: ClaimRef) -> Prepared | HeldBy | Refusal:
        parts = self._parts
        with self._locks.held([_claim_lock(claim)], str(claim)):
            entry = parts.checkpoint.now.entries.get(claim.uid)
            try:
                thing = parts.claims.get(claim.namespace, claim.name)
            except ClaimsUnavailable as outage:
                return self._unread(claim, entry, outage)
            asked = read_asked(thing, claim, driver=parts.driver, node=parts.node)
            if not isinstance(asked, Asked):
                late = parts.checkpoint.now.is_buried(claim.uid)
                return asked.and_then("it was unprepared before" if late else "")
            names = [lock_of(each.device.device) for each in asked.devices]
            with self._locks.held([*names, *_device_locks(entry)], str(claim)):
                return prepare(asked, parts)

    def _unread(self, claim: ClaimRef, entry: Entry | None, outage: ClaimsUnavailable) -> Prepared | Refusal:
        """A claim that can't be read just now; what was prepared for it in this boot still is."""
        if entry is None or entry.state is not State.COMPLETED or entry.boot != self._parts.boot:
            return later(f"claim {claim} can't be read: {outage}")
        with self._locks.held(_device_locks(entry), str(claim)):
            return prepared_again(entry, self._parts)

    def _unprepare(self, claim: ClaimRef) -> Refusal | None:
        parts = self._parts
        with self._locks.held([_claim_lock(claim)], str(claim)):
            known = parts.checkpoint.now.entries.get(claim.uid)
            if known is None:
                return parts.specs.remove(claim.uid)
            with self._locks.held(_device_locks(known), str(claim)):
                entry = parts.checkpoint.now.entries[claim.uid]
                left = undone(entry, parts)
                if isinstance(left, Stuck):
                    return None if left.lost else left.refusal
                return left or parts.checkpoint.bury(entry.claim)

    def _released(self, holder: ClaimRef) -> bool:
        """Whether a claim that holds a device is gone, and has left it now."""
        try:
            thing = self._parts.claims.get(holder.namespace, holder.name)
        except ClaimsUnavailable:
            return False
        gone = thing is None or thing.get("metadata", {}).get("uid") != holder.uid
        if not gone or self._inside(lambda: self._unprepare(holder)) is not None:
            return False
        return holder.uid not in self._parts.checkpoint.now.entries

    def _reconcile(self) -> tuple[Found, ...]:
        losses, self._losses = self._losses, []
        work = Reconciling(self._parts, self._locks, self._unprepare, lost=self._lost)
        found = work.everything()
        self._lost = work.lost
        return (*(Found("loss", str(loss)) for loss in losses), *found)

    def _load(self) -> None:
        loss = self._parts.checkpoint.load()
        if loss is not None:
            self._losses.append(loss)
            self._lost = self._lost or not loss.recovered
            if loss.recovered:
                self._parts.checkpoint.save()

    def _inside(self, work: Callable[[], _T]) -> _T | Refusal:
        """Do it in this process's turn; what the disk, the host or others say against it is a refusal."""
        try:
            with self._turns.turn():
                return work()
        except (Busy, TimeoutError) as busy:
            return later(str(busy))
        except OSError as error:
            return later(f"{error.filename or self._parts.checkpoint.path}: {reason(error)}")
        except HostFault as fault:
            return later(str(fault), fault.hint or "retry")


def _claim_lock(claim: ClaimRef) -> str:
    return f"claim {claim.uid}"


def _device_locks(entry: Entry | None) -> tuple[str, ...]:
    return () if entry is None else tuple(lock_of(each.device.device) for each in entry.devices)
