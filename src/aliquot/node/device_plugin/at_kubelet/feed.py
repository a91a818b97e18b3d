"""A list that changes, for those who listen to it."""

import threading
from collections.abc import Callable, Iterator
from typing import Final, Protocol

from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb

MOST_LISTENERS: Final = 4
"""Each takes a thread of its server. A kubelet is one; the eldest of more is taken for a forgotten one."""


class Call(Protocol):
    """What a stream knows of the call that it answers."""

    def is_active(self) -> bool:
        """Whether somebody still listens."""
        ...

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Have it called at the end; False: it has ended."""
        ...


class Feed:
    """Any thread may tell, or listen."""

    def __init__(self, first: pb.ListAndWatchResponse) -> None:
        self._changed = threading.Condition()
        self._list = first
        self._number = 1
        self._closed = False
        self._listeners: dict[int, int] = {}
        """Listener -> the number of the last list that it took."""
        self._next = 0

    def tell(self, devices: pb.ListAndWatchResponse) -> bool:
        """A new list; whether it differs from the last one: else nobody hears of it."""
        with self._changed:
            if devices == self._list:
                return False
            self._list = devices
            self._number += 1
            self._changed.notify_all()
            return True

    @property
    def listeners(self) -> int:
        """How many listen."""
        with self._changed:
            return len(self._listeners)

    def close(self, within_s: float) -> None:
        """End, once all listeners have taken the last list, or the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: set(self._listeners.values()) <= {self._number}, within_s)
            self._closed = True
            self._changed.notify_all()

    def follow(self, call: Call) -> Iterator[pb.ListAndWatchResponse]:
        """The list now, and again whenever it changes."""
        mine = self._enter()
        try:
            if not call.add_callback(self._wake):
                return
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._ends(mine, call) or self._listeners[mine] < self._number)
                    if self._ends(mine, call):
                        return
                    devices, number = self._list, self._number
                yield devices
                with self._changed:
                    if mine in self._listeners:
                        self._listeners[mine] = number
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._listeners.pop(mine, None)
                self._changed.notify_all()

    def _enter(self) -> int:
        with self._changed:
            mine = self._next
            self._next += 1
            self._listeners[mine] = 0
            while len(self._listeners) > MOST_LISTENERS:
                del self._listeners[min(self._listeners)]
            self._changed.notify_all()
            return mine

    def _ends(self, mine: int, call: Call) -> bool:
        return self._closed or mine not in self._listeners or not call.is_active()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
