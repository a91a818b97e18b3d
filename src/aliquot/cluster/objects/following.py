"""A collection kept up to date: a list, a watch from it, another when that ends, a new list where it's too old."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Self

from aliquot.cluster.objects.protocol import Json, Objects, Watch, WatchEvent
from aliquot.cluster.objects.resources import Resource
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 30.0
"""After the first failure in a row, and at most; each is twice the one before."""
END_SECONDS = 5.0
"""How long the end of the thread is waited for: it may be in a request that isn't answered."""
Key = tuple[str, str]
"""(namespace, name)."""


class Followed:
    """The objects of a collection as the server last told of them, kept by a thread of its own; a context manager.

    Faults are waited out for as long as it takes: the objects stay as they were, and `trouble` says what is wrong.

    Args:
        objects: the cluster.
        resource: the kind.
        namespace: empty: all of them.
        labels: selector.
        fields: selector.
        changed: called after every change, by the thread that follows; it should only wake somebody.
    """

    def __init__(
        self,
        objects: Objects,
        resource: Resource,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._objects = objects
        self._resource = resource
        self._namespace = namespace
        self._labels, self._fields = labels, fields
        self._changed = changed
        self._things: Mapping[Key, Json] = {}
        self._since = ""
        self._watch: Watch | None = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"follow {resource.plural}", daemon=True)
        self.listed = threading.Event()
        """Set once the objects were listed for the first time."""
        self.trouble = ""
        """Why the objects may be out of date; empty: nothing is known to be wrong."""

    @property
    def things(self) -> Mapping[Key, Json]:
        """The objects, ordered as they came; not to be changed. It's one moment's: ask again for the next."""
        return self._things

    def __enter__(self) -> Self:
        """Begin to follow."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End it."""
        self._ended.set()
        with self._lock:
            if self._watch is not None:
                self._watch.close()
        self._thread.join(END_SECONDS)

    def _run(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while not self._ended.is_set():
            begun = time.monotonic()
            try:
                self._follow()
            except StatusError as error:
                if error.expired:
                    self._since = ""
                else:
                    self.trouble = f"{error.message} ({error.code})"
            except UnavailableError as error:
                self.trouble = error.message
            if time.monotonic() - begun > pause:  # it went well for a while: at once, then carefully again
                pause = FIRST_PAUSE_SECONDS
                continue
            self._ended.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _follow(self) -> None:
        """One watch, after a list if need be.

        Raises:
            StatusError: the server's no.
            UnavailableError: no answer.
        """
        labels, fields = self._labels, self._fields
        if not self._since:
            listing = self._objects.list(self._resource, self._namespace, labels=labels, fields=fields)
            self._things = {_key(thing): thing for thing in listing.items}
            self._since = listing.resource_version
            self._told()
        since = self._since
        with self._objects.watch(self._resource, self._namespace, since=since, labels=labels, fields=fields) as watch:
            with self._lock:
                self._watch = watch
            if self._ended.is_set():
                return
            self.trouble = ""
            for event in watch:
                self._take(event)

    def _take(self, event: WatchEvent) -> None:
        if event.what == "DELETED":
            self._things = {key: thing for key, thing in self._things.items() if key != _key(event.thing)}
        elif event.what != "BOOKMARK":
            self._things = {**self._things, _key(event.thing): event.thing}
        self._since = event.resource_version
        if event.what != "BOOKMARK":
            self._told()

    def _told(self) -> None:
        self.trouble = ""
        self.listed.set()
        self._changed()


def _key(thing: Json) -> Key:
    return thing["metadata"].get("namespace", ""), thing["metadata"]["name"]
