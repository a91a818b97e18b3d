"""Whole collections, in pages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from aliquot.cluster.api.connection import JSON, Connection
from aliquot.cluster.api.kinds import Wanted
from aliquot.cluster.listed import State
from aliquot.cluster.objects.status import StatusError

PAGE = 500
"""Objects a page, as kubectl asks for."""
METADATA_LIST = f"{JSON};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""Answers without spec, status and data."""
EXPIRED, FORBIDDEN, ABSENT = 410, 403, 404
STATES: Mapping[int, State] = {ABSENT: "absent", FORBIDDEN: "forbidden"}
"""What a no means for a kind; any other means failed."""
BEGINNINGS = 5
"""How often a list may expire while it's read (the server keeps a version for about five minutes)."""


class _ListMeta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continued: str = msgspec.field(name="continue", default="")


class _List(msgspec.Struct):
    metadata: _ListMeta = msgspec.field(default_factory=_ListMeta)
    items: list[msgspec.Raw] | None = None


class _Name(msgspec.Struct):
    name: str = ""
    namespace: str | None = None
    uid: str | None = None
    labels: dict[str, str] | None = None


class _Bare(msgspec.Struct):
    metadata: _Name


class _Group(msgspec.Struct):
    name: str
    versions: list[dict[str, str]] = []


class _Groups(msgspec.Struct):
    groups: list[_Group] = []


class _Version(msgspec.Struct, rename="camel"):
    git_version: str = ""


_list = msgspec.json.Decoder(_List)
_bare = msgspec.json.Decoder(_Bare)


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list."""

    version: str
    """Of the API group."""
    first: bool
    """The list begins here, perhaps once more: what came before counts no longer."""
    items: tuple[msgspec.Raw, ...]
    resource_version: str
    """Of the whole list; a watch goes on from here."""


def server_version(connection: Connection) -> str:
    """The API server's version (`v1.36.2`); empty where it keeps that to itself."""
    try:
        return msgspec.json.decode(connection.get("/version"), type=_Version).git_version
    except (StatusError, msgspec.MsgspecError):
        return ""


def served_versions(connection: Connection) -> Mapping[str, tuple[str, ...]] | None:
    """API group -> its versions; None where it keeps that to itself, so that each has to be tried."""
    try:
        answer = msgspec.json.decode(connection.get("/apis"), type=_Groups)
    except (StatusError, msgspec.MsgspecError):
        return None
    return {group.name: tuple(entry.get("version", "") for entry in group.versions) for group in answer.groups}


def pages(connection: Connection, wanted: Wanted, served: Mapping[str, tuple[str, ...]] | None) -> Iterator[Page]:
    """All objects of a kind, in the best version that is served.

    Raises:
        StatusError: the server says no; 404 if no version has the kind.
        UnavailableError: it can't be reached.
    """
    absent = StatusError(ABSENT, f"{wanted.group or 'the core API'} isn't served")
    for version in wanted.versions:
        if served is not None and wanted.group and version not in served.get(wanted.group, ()):
            continue
        try:
            yield from _whole_list(connection, wanted, version)
        except StatusError as error:
            if error.code != ABSENT:
                raise
            absent = error
        else:
            return
    raise absent


def _whole_list(connection: Connection, wanted: Wanted, version: str) -> Iterator[Page]:
    """One list, begun again whenever its version expires between two pages."""
    for beginning in range(1, BEGINNINGS + 1):
        query = {"limit": str(PAGE)}
        try:
            while True:
                answer = connection.get(wanted.path(version), query, METADATA_LIST if wanted.only_metadata else JSON)
                page = _list.decode(answer)
                items = page.items or []
                if wanted.only_metadata:
                    items = [_metadata_of(item) for item in items]
                yield Page(version, "continue" not in query, tuple(items), page.metadata.resource_version)
                if not page.metadata.continued:
                    return
                query["continue"] = page.metadata.continued
        except msgspec.MsgspecError as error:
            raise StatusError(200, f"the answer isn't a list: {error}") from error
        except StatusError as error:
            if error.code != EXPIRED or beginning == BEGINNINGS:
                raise


def _metadata_of(item: msgspec.Raw) -> msgspec.Raw:
    """What may be kept of an object whose content is nobody's business: kubectl leaves all of it in an annotation."""
    bare = _bare.decode(item)
    kept = {
        "name": bare.metadata.name,
        "namespace": bare.metadata.namespace,
        "uid": bare.metadata.uid,
        "labels": bare.metadata.labels,
    }
    return msgspec.Raw(msgspec.json.encode({"metadata": {key: value for key, value in kept.items() if value}}))
