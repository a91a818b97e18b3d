"""A watch on a kind in memory."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aliquot.cluster.memory.selectors import Matches
from aliquot.cluster.memory.shelf import Change, Kept, Shelf
from aliquot.cluster.objects.protocol import WatchEvent
from aliquot.cluster.objects.resources import Resource

Json = dict[str, Any]


@dataclass(slots=True)
class MemoryWatch:
    """Events of one collection, as `matches` sees it."""

    resource: Resource
    shelf: Shelf
    happened: threading.Condition
    """Of the cluster: notified after every change."""
    now: Callable[[], int]
    """The cluster's version; to be asked under the lock."""
    matches: Matches
    since: int | None
    """None: begin with all objects that are there."""
    seconds: float | None
    bookmark_seconds: float
    _closed: bool = field(default=False, init=False)

    def __enter__(self) -> Self:
        """For `with`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the iteration."""
        with self.happened:
            self._closed = True
            self.happened.notify_all()

    def __iter__(self) -> Iterator[WatchEvent]:
        """The events, and a bookmark whenever none came for a while."""
        end = None if self.seconds is None else time.monotonic() + self.seconds
        bookmark = time.monotonic() + self.bookmark_seconds
        if self.since is None:
            with self.happened:
                self.since, there = self.now(), sorted(self.shelf.objects.items())
            yield from (WatchEvent("ADDED", state.copy()) for _, state in there if self.matches(state.thing))
        while True:
            with self.happened:
                changes = self.shelf.since(self.since)
                version = self.now()
                if self._closed:
                    return
                if not changes:
                    now = time.monotonic()
                    if end is not None and now >= end:
                        return
                    if now < bookmark:
                        self.happened.wait(min(bookmark, end or bookmark) - now)
                        continue
            for change in changes:
                event = self._seen(change)
                if event is not None:
                    yield event
            if not changes:
                yield self._bookmark(version)
            self.since = version
            bookmark = time.monotonic() + self.bookmark_seconds

    def _seen(self, change: Change) -> WatchEvent | None:
        before = change.before is not None and self.matches(change.before.thing)
        after = change.after is not None and self.matches(change.after.thing)
        if after:
            return WatchEvent("MODIFIED" if before else "ADDED", change.last.copy())
        if not before:
            return None
        return WatchEvent("DELETED", _gone(change))

    def _bookmark(self, version: int) -> WatchEvent:
        kind = {"apiVersion": self.resource.api_version, "kind": self.resource.kind}
        return WatchEvent("BOOKMARK", {**kind, "metadata": {"resourceVersion": str(version)}})


def _gone(change: Change) -> Json:
    """The last state that was seen, under the version since which it isn't."""
    state: Kept = change.last if change.after is None or change.before is None else change.before
    thing = state.copy()
    thing["metadata"]["resourceVersion"] = str(change.version)
    return thing
