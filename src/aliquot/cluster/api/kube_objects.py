"""Objects behind an API server, read and written one by one."""

import contextlib
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import msgspec

from aliquot.cluster.api.connection import JSON, Connection, Stream
from aliquot.cluster.api.faults import status_error
from aliquot.cluster.objects.protocol import MANAGER, Happening, Json, Listing, PatchKind, Subresource, WatchEvent
from aliquot.cluster.objects.resources import Resource
from aliquot.cluster.objects.status import StatusError

PAGE = 500
"""Objects a page, as kubectl asks for."""
BEGINNINGS = 5
"""How often a list may expire while it's read."""
QUIET_SECONDS = 90.0
"""A watch on which nothing came for so long, not even a bookmark (one a minute), counts as dead."""
LONGEST_WATCH_SECONDS = 300.0
"""Then we ask again, which balances load after a server's restart."""
CONTENT: dict[PatchKind, str] = {"merge": "application/merge-patch+json", "json": "application/json-patch+json"}
APPLY = "application/apply-patch+yaml"
"""JSON is YAML; servers before 1.36 know no JSON of it."""


class _Meta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continued: str = msgspec.field(name="continue", default="")


class _List(msgspec.Struct):
    metadata: _Meta
    items: list[Json] | None = None


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


_list = msgspec.json.Decoder(_List)
_event = msgspec.json.Decoder(_Event)


class KubeObjects:
    """`aliquot.cluster.objects.protocol.Objects` over a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, resource: Resource, name: str, namespace: str = "") -> Json:
        """The object. 404: there's none."""
        return _object(self._connection.send("GET", _path(resource, namespace, name)))

    def list(self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = "") -> Listing:
        """All objects that both selectors match, read in pages; again from the start if it expires meanwhile."""
        query = _query(limit=PAGE, labelSelector=labels, fieldSelector=fields)
        for beginning in range(1, BEGINNINGS + 1):
            try:
                return self._whole(resource, resource.path(namespace), query)
            except StatusError as error:
                if not error.expired or beginning == BEGINNINGS:
                    raise
        raise AssertionError  # the last beginning returned or raised

    def _whole(self, resource: Resource, path: str, query: dict[str, str]) -> Listing:
        kind = {"apiVersion": resource.api_version, "kind": resource.kind}
        items: list[Json] = []
        continued: dict[str, str] = {}
        while True:
            answer = self._connection.send("GET", path, query | continued)
            try:
                page = _list.decode(answer)
            except msgspec.MsgspecError as error:
                raise StatusError(200, f"the answer isn't a list: {error}", "InternalError") from error
            items += (kind | item for item in page.items or ())
            if not page.metadata.continued:
                return Listing(tuple(items), page.metadata.resource_version)
            continued = {"continue": page.metadata.continued}

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        fields: str = "",
        seconds: float | None = None,
    ) -> "KubeWatch":
        """What happens after `since`."""
        query = _query(
            watch="true",
            resourceVersion=since,
            allowWatchBookmarks="true",
            timeoutSeconds=max(1, round(LONGEST_WATCH_SECONDS if seconds is None else seconds)),
            labelSelector=labels,
            fieldSelector=fields,
        )
        return KubeWatch(self._connection, resource.path(namespace), query)

    def create(self, resource: Resource, thing: Json, *, manager: str = MANAGER) -> Json:
        """A new object, as stored."""
        path = resource.path(_namespace(thing))
        return self._write("POST", path, _typed(resource, thing), _query(fieldManager=manager))

    def update(self, resource: Resource, thing: Json, *, subresource: Subresource = "", manager: str = MANAGER) -> Json:
        """The whole object anew (or only its status), as stored."""
        path = _path(resource, _namespace(thing), thing["metadata"]["name"], subresource)
        return self._write("PUT", path, _typed(resource, thing), _query(fieldManager=manager))

    def patch(
        self,
        resource: Resource,
        name: str,
        patch: Json | Sequence[Json],
        namespace: str = "",
        *,
        kind: PatchKind = "merge",
        subresource: Subresource = "",
        manager: str = MANAGER,
    ) -> Json:
        """The object after a JSON merge patch or a JSON patch."""
        path = _path(resource, namespace, name, subresource)
        return self._write("PATCH", path, patch, _query(fieldManager=manager), CONTENT[kind])

    def apply(
        self, resource: Resource, thing: Json, *, manager: str, force: bool = False, subresource: Subresource = ""
    ) -> Json:
        """Server-side apply."""
        path = _path(resource, _namespace(thing), thing["metadata"]["name"], subresource)
        query = _query(fieldManager=manager, force=str(force).lower())
        return self._write("PATCH", path, _typed(resource, thing), query, APPLY)

    def delete(
        self,
        resource: Resource,
        name: str,
        namespace: str = "",
        *,
        uid: str = "",
        resource_version: str = "",
        grace_seconds: int | None = None,
    ) -> None:
        """Remove it, or have it removed when its last finalizer goes; what it owns goes after it."""
        options: Json = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
        conditions = _query(uid=uid, resourceVersion=resource_version)
        if conditions:
            options["preconditions"] = conditions
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        self._connection.send("DELETE", _path(resource, namespace, name), body=msgspec.json.encode(options))

    def _write(
        self, method: str, path: str, body: Json | Sequence[Json], query: dict[str, str], content: str = JSON
    ) -> Json:
        return _object(self._connection.send(method, path, query, msgspec.json.encode(body), content))


class KubeWatch:
    """A watch as a stream of lines."""

    def __init__(self, connection: Connection, path: str, query: dict[str, str]) -> None:
        self._opening = connection.lines(path, query, QUIET_SECONDS)
        self._opened = contextlib.ExitStack()
        self._stream: Stream | None = None
        self._closed = False

    def __enter__(self) -> Self:
        """The request is sent, and the server has begun to watch."""
        self._stream = self._opened.enter_context(self._opening)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self._opened.close()

    def close(self) -> None:
        """End the iteration, also in a thread that waits for the next event."""
        self._closed = True
        if self._stream is not None:
            self._stream.close()

    def __iter__(self) -> Iterator[WatchEvent]:
        """The events, until the server ends the watch or somebody closes it."""
        assert self._stream is not None, "a watch is to be used with `with`"
        if self._closed:
            return
        for line in self._stream:
            event = _parsed(line)
            if event is None or self._closed:
                return
            yield event


def _parsed(line: str) -> WatchEvent | None:
    """None: the line was cut off in the middle, for the server went away.

    Raises:
        StatusError: it's an error (410: the version to go on from is too old).
    """
    try:
        event = _event.decode(line)
        if event.type == "ERROR":
            raise status_error(500, bytes(event.object))
        what: Happening = msgspec.convert(event.type, Happening)
        return WatchEvent(what, msgspec.json.decode(event.object))
    except msgspec.MsgspecError:
        return None


def _object(answer: bytes) -> Json:
    try:
        return msgspec.json.decode(answer, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise StatusError(200, f"the answer isn't an object: {error}", "InternalError") from error


def _path(resource: Resource, namespace: str, name: str, subresource: str = "") -> str:
    path = f"{resource.path(namespace)}/{quote(name, safe='')}"
    return f"{path}/{subresource}" if subresource else path


def _namespace(thing: Json) -> str:
    return str(thing["metadata"].get("namespace", ""))


def _typed(resource: Resource, thing: Json) -> Json:
    return {"apiVersion": resource.api_version, "kind": resource.kind, **thing}


def _query(**parameters: str | float) -> dict[str, str]:
    return {name: str(value) for name, value in parameters.items() if value != ""}
