"""Locks by name: a claim, a GPU, a network card. Several are taken at once or none, so nothing waits in a circle."""

import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from time import monotonic


class Busy(Exception):  # noqa: N818 - being second is no error
    """Somebody else has one of the locks for too long; says which, and who."""


class Locks:
    """Who works on what just now. For any number of threads."""

    def __init__(self, *, limit_s: float = 30.0, clock: Callable[[], float] = monotonic) -> None:
        """Nothing is locked.

        Args:
            limit_s: how long to wait for locks; the kubelet waits 45 s for an answer.
            clock: seconds of a clock that never goes back.
        """
        self._limit = limit_s
        self._clock = clock
        self._changed = threading.Condition()
        self._owners: dict[str, str] = {}

    @contextmanager
    def held(self, names: Iterable[str], owner: str) -> Generator[None]:
        """Have these locks.

        Args:
            names: what is locked.
            owner: for whom, in words.

        Raises:
            Busy: it took too long.
        """
        wanted = tuple(dict.fromkeys(names))
        self._take(wanted, owner)
        try:
            yield
        finally:
            with self._changed:
                for name in wanted:
                    del self._owners[name]
                self._changed.notify_all()

    def _take(self, wanted: tuple[str, ...], owner: str) -> None:
        until = self._clock() + self._limit
        with self._changed:
            while taken := [name for name in wanted if name in self._owners]:
                left = until - self._clock()
                if left <= 0 or not self._changed.wait(left):
                    told = ", ".join(f"{name} is being worked on for {self._owners[name]}" for name in taken
                                     if name in self._owners)  # fmt: skip
                    raise Busy(told or f"{', '.join(taken)} was being worked on")
            self._owners |= dict.fromkeys(wanted, owner)
