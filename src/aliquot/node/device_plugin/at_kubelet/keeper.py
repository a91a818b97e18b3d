"""Keeps sockets and registrations as they should be, whatever the kubelet does. An edge: a thread of its own.

A kubelet that starts removes all sockets of its folder and forgets who was registered. Both are noticed by the folder's
changes, and by looking. Nobody else's socket is fought for: a newer agent's stands, and another vendor's plugin too.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aliquot.node.device_plugin.at_kubelet.folder_watch import FolderWatch
from aliquot.node.device_plugin.at_kubelet.registration import Registration, register
from aliquot.node.device_plugin.at_kubelet.server import ResourceServer, Served
from aliquot.node.device_plugin.at_kubelet.sockets import KUBELET, Identity, identity, socket_name, taken
from aliquot.node.device_plugin.at_kubelet.timing import Timing
from aliquot.node.device_plugin.offering.resource import Resource

Tell = Callable[[str], None]


@dataclass(slots=True)
class _Kept:
    server: ResourceServer
    registration: Registration = field(default_factory=Registration)


class Keeper:
    """The sockets of a node's resources."""

    def __init__(self, folder: Path, timing: Timing, clock: Callable[[], float], tell: Tell) -> None:
        self._folder = folder
        self._timing = timing
        self._clock = clock
        self._tell = tell
        self._lock = threading.Lock()
        self._wanted: dict[str, Served] = {}
        self._kept: dict[str, _Kept] = {}
        self._stopping = False
        self._watch: FolderWatch | None = None
        self._thread: threading.Thread | None = None

    # --- for any thread -------------------------------------------------------------------------------------------
    def start(self) -> None:
        """Begin."""
        self._stopping = False
        self._watch = FolderWatch(self._folder)
        self._thread = threading.Thread(target=self._run, args=[self._watch], name="device plugin sockets", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End: the sockets are removed. It may be called again, and where nothing was begun."""
        self._stopping = True
        self._wake()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def want(self, served: Mapping[str, Served]) -> None:
        """Offer these from now on, by resource. Lists that changed are told at once, the rest follows."""
        with self._lock:
            self._wanted = dict(served)
            for name, each in served.items():
                if name in self._kept:
                    self._kept[name].server.tell(each)
        self._wake()

    def registered(self) -> Mapping[str, tuple[str, bool, str]]:
        """By resource: its socket, whether the kubelet listens, and what's wrong."""
        with self._lock:
            return {
                name: (
                    str(kept.server.path),
                    kept.registration.at is not None and kept.server.listeners > 0,
                    kept.registration.problem,
                )
                for name, kept in self._kept.items()
            }

    # --- its own thread -------------------------------------------------------------------------------------------
    def _run(self, watch: FolderWatch) -> None:
        with watch:
            while not self._stopping:
                watch.arm()
                self._look()
                watch.wait(self._timing.look_s)
        with self._lock:
            kept, self._kept = self._kept, {}
        for each in kept.values():
            each.server.stop()

    def _wake(self) -> None:
        if self._watch is not None:
            self._watch.wake()

    def _look(self) -> None:
        with self._lock:
            gone = [name for name in self._kept if name not in self._wanted]
            for name in gone:
                served = self._kept[name].server.served
                empty = Resource(name=name, units=(), way=served.resource.way)
                self._kept[name].server.tell(Served(empty, served.settings, served.base))
            given_up = [self._kept.pop(name) for name in gone]
            for name in [name for name in self._wanted if name not in self._kept]:
                path = self._folder / socket_name(name, self._folder)
                self._kept[name] = _Kept(ResourceServer(self._wanted[name], path))
        for kept in given_up:
            kept.server.stop(hear_s=self._timing.hear_s)
            self._tell(f"{kept.server.served.resource.name} isn't offered any more")
        for name, kept in self._kept.items():
            if not self._stopping:
                self._keep(name, kept)

    def _keep(self, name: str, kept: _Kept) -> None:
        now, kubelet = self._clock(), identity(self._folder / KUBELET)
        problem = self._socket(kept) or ("" if kubelet is not None else f"there's no {self._folder / KUBELET}")
        if problem or kubelet is None:
            if kept.registration.problem != problem:
                self._tell(f"{name}: {problem}")
            kept.registration.at, kept.registration.problem = None, problem
            return
        if kept.registration.is_due(kubelet, kept.server.listeners, now, self._timing):
            self._register(name, kept, kubelet)

    def _register(self, name: str, kept: _Kept, kubelet: Identity) -> None:
        other = taken(self._folder)
        path = kept.server.path
        problem = str(other) if other else register(self._folder / KUBELET, path.name, name, self._timing.register_s)
        if kept.registration.went(kubelet, problem, self._clock(), self._timing):
            self._tell(f"{name}: {problem or f'registered, by {path}'}")

    def _socket(self, kept: _Kept) -> str:
        """See to it that the socket is there; what's wrong with it."""
        server = kept.server
        if server.at_its_path:
            return ""
        if not self._folder.is_dir():
            return f"there's no folder {self._folder}"
        if server.superseded:
            if not server.listeners:  # the kubelet hangs up once it has the newer one
                server.hang_up()
            return f"another process serves at {server.path}: a newer agent, or a second one"
        try:
            server.serve()
        except OSError as error:
            return f"{server.path}: {error.strerror or error}"
        kept.registration.at = kept.registration.tried = None
        return ""
