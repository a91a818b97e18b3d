"""A JSON document, and what it says it is."""

from dataclasses import dataclass

import msgspec


class Envelope(msgspec.Struct, rename="camel"):
    """Kind and version of an object; of a list, its items."""

    api_version: str | None = None
    kind: str | None = None
    items: list[msgspec.Raw] | None = None


envelopes = msgspec.json.Decoder(Envelope)
"""Reads them; ValidationError where a document has another shape."""


@dataclass(frozen=True, slots=True)
class Document:
    """Valid JSON."""

    data: bytes | memoryview
    envelope: Envelope | None = None
    """What it says of itself, where reading that showed its end, too: a large text is gone through once less."""
