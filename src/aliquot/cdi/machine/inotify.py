"""Waiting for changes in directories, by Linux's inotify. An edge; any event means "look again", nothing more.

Where inotify isn't to be had (other systems, no file descriptors left), waiting falls back to looking every second.
"""

import contextlib
import ctypes
import os
import select
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from aliquot.cdi.machine.folders import Folders
from aliquot.cdi.registry import Registry

POLL_SECONDS = 1.0
"""How often to look where the kernel doesn't tell."""

# <sys/inotify.h>
_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_MASK = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
_BUFFER_BYTES = 64 * 1024


class Inotify:
    """One inotify instance, with watches on directories.

    Raises:
        OSError: the kernel gives none.
    """

    def __init__(self) -> None:
        try:
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._init, self._add = self._libc.inotify_init1, self._libc.inotify_add_watch
        except (OSError, AttributeError) as error:
            raise OSError(f"no inotify: {error}") from None
        self.fd: int = self._init(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def watch(self, directory: str) -> int | None:
        """Watch a directory (once is enough); the watch's number, or None where it can't be watched."""
        number: int = self._add(self.fd, os.fsencode(directory), _MASK)
        return None if number < 0 else number

    def drain(self) -> None:
        """Take all waiting events."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.fd, _BUFFER_BYTES):
                pass

    def close(self) -> None:
        """Give the instance back."""
        os.close(self.fd)


class Watcher:
    """Tells when folders may have changed. Use it in a `with`."""

    def __init__(self, folders: Folders) -> None:
        self.folders = folders
        self._watches: frozenset[int | None] = frozenset()
        self._inotify: Inotify | None = None
        self.fallback: str | None = None
        try:
            self._inotify = Inotify()
        except OSError as error:
            self.fallback = str(error)

    def __enter__(self) -> Self:
        """Start watching."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop watching."""
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None

    def fileno(self) -> int:
        """The file descriptor to select on, or -1 without inotify."""
        return -1 if self._inotify is None else self._inotify.fd

    def registry(self) -> Registry:
        """The registry, with watches on everything that it depends on: a later change wakes `wait`."""
        while True:
            before = self._watches
            self._arm()
            registry = self.folders.registry()
            self._arm()  # links that were just read point to directories to watch
            if self._watches == before or self._inotify is None:
                return registry

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until something may have changed, at most `timeout` seconds; whether it did.

        Without inotify it's only known that time has passed: the answer is then always true.
        """
        if self._inotify is None:
            time.sleep(POLL_SECONDS if timeout is None else min(POLL_SECONDS, timeout))
            return True
        ready, _, _ = select.select([self._inotify.fd], [], [], timeout)
        if ready:
            self._inotify.drain()
        return bool(ready)

    def changes(self) -> Iterator[Registry]:
        """The registry now, and again whenever it differs."""
        last: Registry | None = None
        while True:
            registry = self.registry()
            if registry is not last:
                yield registry
            last = registry
            self.wait()

    def _arm(self) -> None:
        if self._inotify is not None:
            watch = self._inotify.watch
            self._watches = frozenset(watch(directory) for directory in sorted(self.folders.watched()))
