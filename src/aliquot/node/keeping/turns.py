"""One agent at a time: while a new one replaces an old one, both run, and both know the same files.

Threads of one process share its turn. Who gets the turn reads the checkpoint again: the other may have written it.
"""

import fcntl
import os
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

_POLL_S: Final = 0.01


class Turns:
    """The turn of this process, by a lock on a file."""

    def __init__(self, path: Path, begin: Callable[[], None], *, limit_s: float = 30.0) -> None:
        """Nothing is locked yet.

        Args:
            path: the file; it's made if it's missing, and never removed.
            begin: called whenever the turn comes to this process.
            limit_s: how long to wait for it.
        """
        self._path = path
        self._begin = begin
        self._limit = limit_s
        self._state = threading.Lock()
        self._inside = 0
        self._descriptor: int | None = None

    @contextmanager
    def turn(self) -> Generator[None]:
        """Be inside.

        Raises:
            TimeoutError: another process has the turn for too long.
            OSError: the file can't be locked, or `begin` can't read.
        """
        with self._state:
            if self._inside == 0:
                self._enter()
            self._inside += 1
        try:
            yield
        finally:
            with self._state:
                self._inside -= 1
                if self._inside == 0:
                    self._leave()

    def _enter(self) -> None:
        self._path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._lock(descriptor)
            self._begin()
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def _lock(self, descriptor: int) -> None:
        until = monotonic() + self._limit
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if monotonic() >= until:
                    message = f"another agent on this node has had {self._path} for {self._limit:g} s"
                    raise TimeoutError(message) from None
                sleep(_POLL_S)
            else:
                return

    def _leave(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
