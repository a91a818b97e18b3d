"""The objects of one kind, and what happened to them since the last compaction. No locks: its cluster has one."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from aliquot.cluster.objects.status import StatusError

Json = dict[str, Any]
Key = tuple[str, str]
"""(namespace, name)."""


class Kept(NamedTuple):
    """A state of an object; never changed."""

    thing: Json
    text: bytes
    """The same as JSON, of which everybody gets a copy."""

    def copy(self) -> Json:
        """For somebody who may change it."""
        return msgspec.json.decode(self.text)  # type: ignore[no-any-return]


def kept(thing: Json) -> Kept:
    """A state to keep; shares nothing with `thing`."""
    text = msgspec.json.encode(thing)
    return Kept(msgspec.json.decode(text), text)


class Change(NamedTuple):
    """Something that happened."""

    version: int
    key: Key
    before: Kept | None
    """None: it's new."""
    after: Kept | None
    """None: it's gone."""
    last: Kept
    """What a watcher is told: the new state, or the last one under the version of the deletion."""


@dataclass(slots=True)
class Shelf:
    """Of one kind."""

    history: int
    """How many changes are kept for watches at least; twice as many at most."""
    objects: dict[Key, Kept] = field(default_factory=dict[Key, Kept])
    changes: list[Change] = field(default_factory=list[Change])
    forgotten: int = 0
    """The version up to which changes are forgotten."""

    def put(self, change: Change) -> None:
        """It happened."""
        if change.after is None:
            del self.objects[change.key]
        else:
            self.objects[change.key] = change.after
        self.changes.append(change)
        if len(self.changes) >= 2 * self.history:
            self.forget(self.changes[-self.history - 1].version)

    def forget(self, version: int) -> None:
        """Compact: what happened up to this version can't be told any more."""
        del self.changes[: bisect_right(self.changes, version, key=_version)]
        self.forgotten = max(self.forgotten, version)

    def since(self, version: int) -> list[Change]:
        """What happened after a version.

        Raises:
            StatusError: 410: that isn't known any more.
        """
        if version < self.forgotten:
            raise StatusError(410, f"too old resource version: {version} ({self.forgotten})")
        return self.changes[bisect_right(self.changes, version, key=_version) :]

    def at(self, version: int) -> Iterator[tuple[Key, Kept]]:
        """The objects as they were at a version, ordered by namespace and name.

        Raises:
            StatusError: 410: that isn't known any more.
        """
        objects = dict(self.objects)
        for change in reversed(self.since(version)):
            if change.before is None:
                objects.pop(change.key, None)
            else:
                objects[change.key] = change.before
        return iter(sorted(objects.items()))


def _version(change: Change) -> int:
    return change.version
