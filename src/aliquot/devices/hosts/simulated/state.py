"""What of a simulated host changes: kept in memory, or in a file that outlives the process."""

import fcntl
import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from aliquot.devices.gpu import ComputeMode, Process, Recovery, TimeSlice
from aliquot.devices.hosts.protocol import MpsSettings
from aliquot.devices.instances import Instance, MigMode


class GpuState(msgspec.Struct, frozen=True, kw_only=True):
    """One GPU just now."""

    uuid: str
    mig: MigMode | None = None
    instances: tuple[Instance, ...] = ()
    processes: tuple[Process, ...] = ()
    compute_mode: ComputeMode = ComputeMode.DEFAULT
    time_slice: TimeSlice | None = None
    persistence: bool = True
    lost: bool = False
    recovery: Recovery = Recovery.NONE
    created: int = 0
    """How many instances it has ever had."""

    def replaced(self, **changes: object) -> "GpuState":
        """The same with changes."""
        return msgspec.structs.replace(self, **changes)


class HostState(msgspec.Struct, frozen=True, kw_only=True):
    """The whole host just now."""

    boots: int = 1
    gpus: dict[str, GpuState] = {}
    calls: dict[str, int] = {}
    """How often each call was made: the method, or `method gpu`."""
    told: tuple[int, ...] = ()
    """The faults of the file whose XID was told."""
    pending: tuple[tuple[str | None, int, int | None], ...] = ()
    """XIDs to tell: GPU, number, instance."""
    seen: tuple[tuple[str | None, int, int | None], ...] = ()
    """The last XIDs told."""
    mps: dict[str, MpsSettings] = {}
    """The MPS daemons that run, by their pipe folders."""


class Store:
    """Where the state is kept: a file that several processes share, or this object."""

    def __init__(self, first: HostState, path: Path | None = None) -> None:
        """Keep the state in a file, made at the first change, or in memory.

        Args:
            first: the state of a host just started.
            path: the state file.
        """
        self._state = first
        self._path = path
        self._turn = threading.RLock()

    def load(self) -> HostState:
        """The state now.

        Raises:
            ValueError: the state file isn't one.
        """
        if self._path is None:
            return self._state
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=HostState)
        except FileNotFoundError:
            return self._state
        except msgspec.MsgspecError as error:
            raise ValueError(f"{self._path} holds no state of a simulated host ({error}): remove it") from None

    @contextmanager
    def change(self) -> Generator[list[HostState]]:
        """The state in a list of one; what the list holds afterwards is kept. Only one process at a time is inside."""
        with self._turn, self._locked():
            box = [self.load()]
            before = box[0]
            yield box
            if box[0] is not before:
                self._save(box[0])

    def _save(self, state: HostState) -> None:
        if self._path is None:
            self._state = state
            return
        draft = self._path.with_name(f"{self._path.name}.new")
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=1))
        draft.replace(self._path)

    @contextmanager
    def _locked(self) -> Generator[None]:
        if self._path is None:
            yield
            return
        self._path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(self._path.with_name(f"{self._path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)
