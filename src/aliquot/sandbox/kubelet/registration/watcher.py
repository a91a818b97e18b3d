"""plugins_registry, looked at over and over: sockets that came are registered, those that went are deregistered."""

import contextlib
import os
import stat
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from aliquot.sandbox.kubelet.registration.handshake import handshake
from aliquot.sandbox.kubelet.registration.offer import Offer, Taker
from aliquot.sandbox.kubelet.timing import Timing

_Identity = tuple[int, int, int]
_AT_ONCE = 8
"""Registrations under way at a time: one plugin that hangs doesn't hold up the others."""


@dataclass(slots=True)
class _Backoff:
    """After failures.

    As in the real kubelet it belongs to the path, not to the socket: one that a plugin left behind when it died makes
    the plugin's next life wait, up to two minutes.
    """

    until: float
    delay: float


class Watcher:
    """Finds plugins. `registered` and `faults` may be read by any thread."""

    def __init__(self, folder: Path, takers: Mapping[str, Taker], timing: Timing) -> None:
        self._folder = folder
        self._takers = takers
        self._timing = timing
        self._lock = threading.Lock()
        self._registered: dict[str, tuple[_Identity, Offer]] = {}
        self._backoffs: dict[str, _Backoff] = {}
        self._faults: dict[str, str] = {}
        self._busy: set[str] = set()
        self._ended = threading.Event()
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="registration")
        self._thread = threading.Thread(target=self._run, name="plugins_registry", daemon=True)

    def start(self) -> None:
        """Begin to look: sockets that are there already are found, too."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more; nobody is deregistered."""
        self._ended.set()
        self._thread.join()
        self._pool.shutdown(cancel_futures=True)

    def registered(self) -> dict[str, Offer]:
        """By registration socket."""
        with self._lock:
            return {socket: offer for socket, (_, offer) in sorted(self._registered.items())}

    def faults(self) -> dict[str, str]:
        """What last went wrong, by registration socket; those that are gone or registered since aren't there."""
        with self._lock:
            return dict(sorted(self._faults.items()))

    def _run(self) -> None:
        while not self._ended.is_set():
            self._look()
            self._ended.wait(self._timing.look_s)

    def _look(self) -> None:
        found = _sockets(self._folder)
        with self._lock:
            gone = [socket for socket, (was, _) in self._registered.items() if found.get(socket) != was]
            left = [self._registered.pop(socket)[1] for socket in gone]
            for socket in self._faults.keys() - found.keys():
                del self._faults[socket]
        for offer in left:
            self._takers[offer.kind].deregister(offer)
        now = time.monotonic()
        for socket, identity in found.items():
            with self._lock:
                backoff = self._backoffs.get(socket)
                waits = backoff is not None and now < backoff.until
                if waits or socket in self._registered or socket in self._busy:
                    continue
                self._busy.add(socket)
            self._pool.submit(self._register, socket, identity)

    def _register(self, socket: str, identity: _Identity) -> None:
        offer, fault = handshake(socket, self._takers, self._timing)
        with self._lock:
            self._busy.remove(socket)
            if offer is not None:
                self._registered[socket] = (identity, offer)
            if fault is None:
                self._backoffs.pop(socket, None)
                self._faults.pop(socket, None)
                return
            self._faults[socket] = fault
            first, most = self._timing.retry_first_s, self._timing.retry_most_s
            backoff = self._backoffs.get(socket)
            delay = first if backoff is None else min(backoff.delay * 2, most)
            self._backoffs[socket] = _Backoff(time.monotonic() + delay, delay)


def _sockets(folder: Path) -> dict[str, _Identity]:
    """All sockets below, but hidden ones; a socket that was made anew at its path is another one."""
    found: dict[str, _Identity] = {}
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(place, name)
            with contextlib.suppress(FileNotFoundError):
                facts = path.lstat()
                if stat.S_ISSOCK(facts.st_mode) and not name.startswith("."):
                    found[str(path)] = (facts.st_dev, facts.st_ino, facts.st_mtime_ns)
    return found
