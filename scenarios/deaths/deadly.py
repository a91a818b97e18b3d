"""An agent that dies: before or after its n-th change of the host or of the disk, as by `kill -9`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from aliquot.devices.hosts.simulated.host import SimulatedHost
from aliquot.node.keeping.disk import Disk


class Killed(BaseException):
    """Nothing catches it; what `finally` does is what the kernel does for a process that's gone: locks are let go."""


class Death:
    """Counts the moments at which an agent may die, and has it die at one of them."""

    def __init__(self, moment: int | None = None) -> None:
        """To come at the moment of that number; None: never."""
        self.moment = moment
        self.passed = 0
        self.where: list[str] = []

    def around(self, what: str, work: Callable[[], Any]) -> Any:
        """Do something, with a moment before and one after it."""
        self._moment(f"before {what}")
        done = work()
        self._moment(f"after {what}")
        return done

    def _moment(self, where: str) -> None:
        self.where.append(where)
        self.passed += 1
        if self.passed - 1 == self.moment:
            raise Killed(where)


class DeadlyHost:
    """The host's protocols; each call that changes something is two moments."""

    def __init__(self, host: SimulatedHost, death: Death) -> None:
        """Of this host."""
        self._host = host
        self._death = death

    def __getattr__(self, name: str) -> Any:
        """A call of the host."""
        method = getattr(self._host, name)
        if not name.startswith(("set_", "create_", "destroy_", "start_", "stop_")):
            return method
        return lambda *args, **options: self._death.around(name, lambda: method(*args, **options))


class DeadlyDisk(Disk):
    """A disk; each change of it is two moments, and a file may be half written."""

    def __init__(self, death: Death) -> None:
        """This machine's disk."""
        self._death = death

    def write(self, path: Path, data: bytes, *, mode: int, durable: bool) -> None:
        """See `Disk`."""

        def halves() -> None:
            write(path, data[: len(data) // 2], mode=mode, durable=False)
            self._death.around("half a write", lambda: None)
            write(path, data, mode=mode, durable=durable)

        write = super().write
        self._death.around(f"write {path.name}", halves)

    def rename(self, path: Path, new: Path) -> None:
        """See `Disk`."""
        rename = super().rename
        self._death.around(f"rename to {new.name}", lambda: rename(path, new))

    def keep_as(self, path: Path, copy: Path) -> None:
        """See `Disk`."""
        keep_as = super().keep_as
        self._death.around(f"keep as {copy.name}", lambda: keep_as(path, copy))

    def sync(self, folder: Path) -> None:
        """See `Disk`."""
        sync = super().sync
        self._death.around("sync", lambda: sync(folder))

    def remove(self, path: Path) -> bool:
        """See `Disk`."""
        remove = super().remove
        return bool(self._death.around(f"remove {path.name}", lambda: remove(path)))
