"""Keeps the slices as they should be: a thread that looks whenever something may have changed, and after faults."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Final, Self

from aliquot.cluster.objects.following import Followed
from aliquot.cluster.objects.protocol import Objects
from aliquot.cluster.objects.resources import NODES, SLICES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError
from aliquot.dra.slices.pool import Pool, Unfit
from aliquot.kube.release import Kubernetes
from aliquot.node.publishing.reconcile import Writing, reconcile, slice_of
from aliquot.node.publishing.stored import dropped

Json = dict[str, Any]
_LOG: Final = logging.getLogger(__name__)
MANAGER: Final = "aliquot-node"
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 30.0
"""After the first failure in a row, and at most; each is twice the one before."""
LOOK_EVERY_SECONDS: Final = 60.0
"""Though nobody told of a change."""
WATCH_SECONDS: Final = 5.0
"""How long the watch may take to tell of what was written, before it's looked at without that."""


class Publisher:
    """Publishes what `pools` says for as long as it runs; a context manager.

    What was published stays when it ends: the kubelet takes it away if nobody comes back.

    Args:
        objects: the API server.
        node: the node's name.
        pools: what each driver has to offer an API server of this release and with these gates; called by the thread.
        kubernetes: the API server, as far as it's known; gates that turn out to be off are switched off in it.
    """

    def __init__(
        self, objects: Objects, node: str, pools: Callable[[Kubernetes], Sequence[Pool]], kubernetes: Kubernetes
    ) -> None:
        self._objects, self._node, self._pools = objects, node, pools
        self.kubernetes = kubernetes
        self._wake = threading.Event()
        self._ended = threading.Event()
        self._followed = Followed(objects, SLICES, fields=f"spec.nodeName={node}", changed=self._wake.set)
        self._written: dict[str, int] = {}
        self._written_at = 0.0
        self._thread = threading.Thread(target=self._run, name="publish slices", daemon=True)
        self.trouble = "nothing is published yet"
        """Why the slices may not be as they should; empty: they are."""
        self.published = threading.Event()
        """Set once they were as they should."""

    def changed(self) -> None:
        """What `pools` says may be something else now."""
        self._wake.set()

    def __enter__(self) -> Self:
        self._followed.__enter__()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._wake.set()
        self._followed.stop()
        self._thread.join(LONGEST_PAUSE_SECONDS)

    def _run(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while not self._ended.is_set():
            self._wake.clear()
            if not self._caught_up():
                self._wake.wait(FIRST_PAUSE_SECONDS)
                continue
            trouble = self._looked()
            if trouble != self.trouble:
                _LOG.log(logging.WARNING if trouble else logging.INFO, "slices: %s", trouble or "published")
            self.trouble = trouble
            if not trouble:
                self.published.set()
                pause = FIRST_PAUSE_SECONDS
                self._wake.wait(LOOK_EVERY_SECONDS)
            elif self._ended.wait(pause):
                return
            else:
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _looked(self) -> str:
        """Look once, and write what has to be written; what is wrong, or nothing."""
        if not self._followed.listed.is_set():
            return self._followed.trouble or "the API server wasn't asked for slices yet"
        try:
            owner = self._owner()
            there = {name: thing for (_, name), thing in self._followed.things.items()}
            wanted = reconcile(self._pools(self.kubernetes), there, self.kubernetes, owner)
            if isinstance(wanted, Unfit):
                return f"the API server would refuse them: {'; '.join(wanted.reasons)}"
            off = self._write(wanted)
        except StatusError as error:
            return f"{error.message} ({error.code})"
        except UnavailableError as error:
            return f"the API server doesn't answer: {error.message}"
        if off:
            self.kubernetes = self.kubernetes.changed((gate, False) for gate in off)
            gates = ", ".join(sorted(off))
            return f"the API server dropped fields: {gates} must be off there; published without"
        return ""

    def _caught_up(self) -> bool:
        """Whether the watch has told of all that was written; until then a look would find what isn't so any more."""
        versions = {name: _version(thing) for (_, name), thing in self._followed.things.items()}
        self._written = {name: at for name, at in self._written.items() if versions.get(name, 0) < at}
        return not self._written or time.monotonic() > self._written_at + WATCH_SECONDS

    def _owner(self) -> Json:
        """The Node, as the owner of its slices."""
        node = self._objects.get(NODES, self._node)
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "name": self._node,
            "uid": node["metadata"]["uid"],
            "controller": True,
        }

    def _write(self, wanted: Writing) -> frozenset[str]:
        """Write it; the gates that turn out to be off."""
        off: frozenset[str] = frozenset()
        for gone in wanted.removed:
            try:
                self._objects.delete(SLICES, gone.name, uid=gone.uid, resource_version=gone.resource_version)
            except StatusError as error:
                if not error.missing:
                    raise
        for things, write in ((wanted.updated, self._objects.update), (wanted.created, self._objects.create)):
            for thing in things:
                stored = write(SLICES, thing, manager=MANAGER)
                self._written[stored["metadata"]["name"]] = _version(stored)
                self._written_at = time.monotonic()
                sent, kept = slice_of(thing), slice_of(stored)
                if sent is not None and kept is not None:
                    off |= dropped(sent, kept)
        return off


def _version(thing: Json) -> int:
    version = str(thing["metadata"].get("resourceVersion", ""))
    return int(version) if version.isdigit() else 0
