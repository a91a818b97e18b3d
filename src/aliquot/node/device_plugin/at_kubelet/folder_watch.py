"""Sleeping until something changes in a folder, somebody wakes, or the time is over."""

import os
import select
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from aliquot.cdi.machine.inotify import Inotify


class FolderWatch:
    """Use it in a `with`; `wake` may be called from any thread, also after it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._awake, self._waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._inotify: Inotify | None = None
        with suppress(OSError):  # without it, looking every now and then has to do
            self._inotify = Inotify()

    def __enter__(self) -> Self:
        """Nothing more to do."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give everything back."""
        if self._inotify is not None:
            self._inotify.close()
        os.close(self._awake)
        waker, self._waker = self._waker, -1
        os.close(waker)

    def arm(self) -> None:
        """Watch the folder that is at the path now: changes from here on wake `wait`."""
        if self._inotify is not None:
            self._inotify.watch(str(self._folder))

    def wait(self, timeout_s: float) -> None:
        """Sleep."""
        poll = select.poll()
        poll.register(self._awake, select.POLLIN)
        if self._inotify is not None:
            poll.register(self._inotify.fd, select.POLLIN)
        poll.poll(max(0.0, timeout_s) * 1000)
        if self._inotify is not None:
            self._inotify.drain()
        with suppress(BlockingIOError):
            os.read(self._awake, 1 << 16)

    def wake(self) -> None:
        """End the sleep, or the next one at once."""
        with suppress(BlockingIOError, OSError):
            os.write(self._waker, b"!")
