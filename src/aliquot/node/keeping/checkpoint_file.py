"""The checkpoint on disk. Writers that come at the same time share one write.

The copy before the last change is kept beside it: what a damaged file had is there but for that change. A damaged file
is moved aside under a new name and told of; it never keeps the agent from starting.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aliquot.node.claims.checkpoint import Checkpoint
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry
from aliquot.node.claims.envelope import Damaged, decode, encode
from aliquot.node.claims.refusal import Refusal, later
from aliquot.node.keeping.disk import Disk, reason
from aliquot.sharing.setup.steps import Step

PREVIOUS: Final = ".previous"
QUARANTINE: Final = ".damaged-"


@dataclass(frozen=True, slots=True)
class Loss:
    """A checkpoint that couldn't be read."""

    why: str
    moved_to: Path | None
    """Where it lies now; None: it isn't there any more, or can't be moved."""
    recovered: bool
    """Whether the copy before the last change stands in for it; else nothing is known of what was prepared."""

    def __str__(self) -> str:
        place = f"it's kept as {self.moved_to}" if self.moved_to is not None else "no copy of it was kept"
        rest = "the copy before it is used" if self.recovered else "what is prepared has to be found out anew"
        return f"the checkpoint is damaged: {self.why}; {place}; {rest}"


class CheckpointFile:
    """The checkpoint, in memory and on disk alike. For several threads; of several processes only one at a time."""

    def __init__(self, path: Path, disk: Disk | None = None) -> None:
        """Nothing is read yet: see `load`."""
        self.path = path
        self._disk = disk or Disk()
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._now = Checkpoint()
        self._changes = 0
        self._written = 0
        self._seen: tuple[int, int, int] | None = None
        self._loaded = False

    @property
    def now(self) -> Checkpoint:
        """The checkpoint as it stands."""
        return self._now

    def load(self) -> Loss | None:
        """Read it, if it isn't as it was last read or written.

        Raises:
            OSError: it can't be read; that is no damage, and nothing is given up for it.
        """
        with self._writing, self._state:
            signature = self._signature()
            if self._loaded and signature == self._seen:
                return None
            data = self._disk.read(self.path)
            found = self._missing() if data is None else decode(data)
            loss = None
            if isinstance(found, Damaged):
                loss, found = self._recovered(found)
            self._now, self._seen, self._loaded = found, self._signature(), True
            return loss

    def put(self, entry: Entry) -> Refusal | None:
        """Have this entry on disk."""
        return self._change(entry.claim.uid, lambda now: now.put(entry))

    def hand_over(self, leaving: Entry, heirs: Mapping[str, tuple[Step, ...]]) -> Refusal | None:
        """Have the entry of a claim that leaves on disk, and what others undo in its place."""
        return self._change(leaving.claim.uid, lambda now: now.handed(leaving, heirs))

    def forget(self, uid: str) -> Refusal | None:
        """Drop a claim that never was prepared to its end."""
        return self._change(uid, lambda now: now.without(uid))

    def bury(self, claim: ClaimRef) -> Refusal | None:
        """Drop a claim that was unprepared."""
        return self._change(claim.uid, lambda now: now.buried(claim))

    def save(self) -> Refusal | None:
        """Have it on disk as it stands: what was recovered, or found out anew."""
        return self._change("", lambda now: now)

    def _change(self, uid: str, change: Callable[[Checkpoint], Checkpoint]) -> Refusal | None:
        with self._state:
            before = self._now.entries.get(uid)
            self._now = change(self._now)
            self._changes += 1
            mine = self._changes
        try:
            with self._writing:
                if self._written < mine:
                    self._write()
        except OSError as error:
            self._take_back(uid, before)
            return later(f"the checkpoint {self.path} can't be written: {reason(error)}")
        except BaseException:
            self._take_back(uid, before)
            raise
        return None

    def _write(self) -> None:
        with self._state:
            now, number = self._now, self._changes
        self._disk.keep_as(self.path, self._beside(PREVIOUS))
        self._disk.replace(self.path, encode(now))
        self._written, self._seen = number, self._signature()

    def _take_back(self, uid: str, before: Entry | None) -> None:
        """What isn't on disk isn't so. Who changes a claim's entry has locked it: nobody else changed it meanwhile."""
        with self._state:
            self._now = self._now.without(uid) if before is None else self._now.put(before)
            self._changes += 1

    def _missing(self) -> Checkpoint | Damaged:
        """Of a file that isn't there: on a new node, or since an agent died when it had moved a damaged one aside."""
        traces = (self._beside(PREVIOUS).name, f"{self.path.name}{QUARANTINE}")
        if any(name.startswith(traces) for name in self._disk.names(self.path.parent)):
            return Damaged("it isn't there, and was")
        return Checkpoint()

    def _recovered(self, damaged: Damaged) -> tuple[Loss, Checkpoint]:
        moved = self._quarantined()
        data = self._disk.read(self._beside(PREVIOUS))
        older = decode(data) if data is not None else Damaged("there is no copy")
        if isinstance(older, Checkpoint):
            return Loss(damaged.why, moved, recovered=True), older
        return Loss(damaged.why, moved, recovered=False), Checkpoint()

    def _quarantined(self) -> Path | None:
        if self._signature() is None:
            return None
        taken = set(self._disk.names(self.path.parent))
        number = next(each for each in range(1, len(taken) + 2) if f"{self.path.name}{QUARANTINE}{each}" not in taken)
        aside = self._beside(f"{QUARANTINE}{number}")
        try:
            self._disk.rename(self.path, aside)
        except OSError:
            return None
        return aside

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(f"{self.path.name}{ending}")

    def _signature(self) -> tuple[int, int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size
