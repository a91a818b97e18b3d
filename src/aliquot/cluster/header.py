"""What a dump of our own says about itself: an object of a kind of its own, first in its list."""

from dataclasses import dataclass
from typing import Any

import msgspec

from aliquot.cluster.listed import Listed, State

VERSION = "aliquot.dev/v1alpha1"
KIND = "Dump"


@dataclass(frozen=True, slots=True)
class Header:
    """Where a dump is from."""

    server: str = ""
    """The API server's version, as it gives it: `v1.36.2`."""
    listed: tuple[Listed, ...] = ()
    anonymised: bool = False


class _WireListed(msgspec.Struct):
    kind: str
    resource: str = ""
    version: str = ""
    state: State = "listed"
    count: int = 0


class _WireHeader(msgspec.Struct):
    server: str = ""
    listed: list[_WireListed] = []
    anonymised: bool = False


_header = msgspec.json.Decoder(_WireHeader)


def read(raw: bytes | memoryview | msgspec.Raw) -> Header:
    """The header of this JSON object; one that a newer release wrote otherwise counts as empty."""
    try:
        wire = _header.decode(raw)
    except msgspec.MsgspecError:
        return Header()
    listed = tuple(
        Listed(kind=one.kind, resource=one.resource, version=one.version, state=one.state, count=one.count)
        for one in wire.listed
    )
    return Header(wire.server, listed, wire.anonymised)


def written(header: Header) -> dict[str, Any]:
    """The object that `read` reads."""
    return {
        "apiVersion": VERSION,
        "kind": KIND,
        "metadata": {"name": "aliquot"},
        "server": header.server,
        "anonymised": header.anonymised,
        "listed": [
            {"kind": one.kind, "resource": one.resource, "version": one.version, "state": one.state, "count": one.count}
            for one in header.listed
        ],
    }
