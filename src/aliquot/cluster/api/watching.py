"""Following a collection: a watch from the list's version, again whenever it ends, and a new list when it's too old.

lightkube watches too, but asks for no bookmarks (a quiet kind's version is then too old after a compaction) and, told
that it is (410), goes on without the objects that have vanished in the meantime.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event
from typing import Literal

import msgspec

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.faults import status_error
from aliquot.cluster.api.kinds import Wanted
from aliquot.cluster.api.listing import EXPIRED, pages
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError

WATCH_SECONDS = 300
"""How long the server lets a watch run; then we ask again, which balances load after a server's restart."""
QUIET_SECONDS = 90.0
"""A connection on which nothing came for so long, not even a bookmark (one a minute), counts as dead."""
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 30.0
LIST_AGAIN_SECONDS = 30.0
"""How often a kind is listed that may be listed, but not watched."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a follower tells."""

    wanted: Wanted
    version: str
    what: Literal["all", "changed", "gone"]
    """all: these are all objects of the kind; changed: it's new or other than before; gone: it isn't there any more."""
    items: tuple[msgspec.Raw, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something about the connection, in words for a person."""

    text: str


class _Meta(msgspec.Struct, rename="camel"):
    resource_version: str = ""


class _Versioned(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


_event = msgspec.json.Decoder(_Event)
_versioned = msgspec.json.Decoder(_Versioned)


@dataclass(slots=True)
class Follower:
    """Follows one kind, in a thread of its own."""

    connection: Connection
    wanted: Wanted
    version: str
    served: Mapping[str, tuple[str, ...]] | None
    resource_version: str
    """Where the next watch goes on; empty: list first."""
    tell: SimpleQueue[Change | Note]
    ended: Event
    """Nobody listens any more."""

    def run(self) -> None:
        """Until it's ended; faults are waited out, and told once."""
        pause = FIRST_PAUSE_SECONDS
        troubled = ""
        while not self.ended.is_set():
            try:
                if not self.resource_version:
                    self._list()
                if troubled:
                    self.tell.put(Note(f"{self.wanted.plural}: connected again"))
                    troubled = ""
                begun = time.monotonic()
                self._watch()
                if time.monotonic() - begun > FIRST_PAUSE_SECONDS:
                    pause = FIRST_PAUSE_SECONDS
                    continue
            except StatusError as error:
                if error.code == EXPIRED:
                    self.resource_version = ""
                    continue
                if error.code in {403, 404, 405}:
                    troubled = self._told(troubled, f"can't be watched ({error.message}): listed every 30 s instead")
                    self.ended.wait(LIST_AGAIN_SECONDS)
                    self.resource_version = ""
                    continue
                troubled = self._told(troubled, f"{error.message} ({error.code}): trying again ...")
            except UnavailableError as error:
                troubled = self._told(troubled, f"{error.message}: trying again ...")
            self.ended.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _told(self, before: str, text: str) -> str:
        if text != before and not self.ended.is_set():
            self.tell.put(Note(f"{self.wanted.plural}: {text}"))
        return text

    def _list(self) -> None:
        items: list[msgspec.Raw] = []
        for page in pages(self.connection, self.wanted, self.served):
            if page.first:
                items.clear()
            items += page.items
            self.version, self.resource_version = page.version, page.resource_version
        self.tell.put(Change(self.wanted, self.version, "all", tuple(items)))

    def _watch(self) -> None:
        """Until the server ends it.

        Raises:
            StatusError: it ends with an error (410: our version is too old), or doesn't begin.
            UnavailableError: the connection broke.
        """
        query = {
            "watch": "true",
            "resourceVersion": self.resource_version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(WATCH_SECONDS),
        }
        with self.connection.lines(self.wanted.path(self.version), query, QUIET_SECONDS) as lines:
            for line in lines:
                if not line:
                    continue
                try:
                    event = _event.decode(line)
                    if event.type == "ERROR":
                        raise status_error(500, bytes(event.object))
                    self.resource_version = _versioned.decode(event.object).metadata.resource_version
                except msgspec.MsgspecError:
                    return  # a line cut off in the middle: the server went away
                if event.type != "BOOKMARK":
                    what: Literal["gone", "changed"] = "gone" if event.type == "DELETED" else "changed"
                    self.tell.put(Change(self.wanted, self.version, what, (event.object,)))
