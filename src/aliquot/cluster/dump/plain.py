"""Objects of any kind, still as JSON, from the same documents that the readers of nouns take."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from aliquot.cluster.envelope import Document, envelopes
from aliquot.kube.reading.shape import Fault, join

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plain:
    """An object, not yet decoded: of a large dump only one at a time is."""

    version: str
    kind: str
    raw: msgspec.Raw

    def decoded(self) -> Json:
        """As plain values, with apiVersion and kind, which objects in a typed list haven't."""
        return {"apiVersion": self.version, "kind": self.kind, **msgspec.json.decode(self.raw)}


_array = msgspec.json.Decoder(list[msgspec.Raw])


class PlainReader:
    """Takes lists apart."""

    def read(self, document: Document) -> Iterator[Plain | Fault]:
        """The objects of a document; what isn't an object with a kind is a fault."""
        yield from self._any(msgspec.Raw(bytes(document.data)), "", "", "")

    def _any(self, raw: msgspec.Raw, path: str, version: str, kind: str) -> Iterator[Plain | Fault]:
        if bytes(memoryview(raw)[:64]).lstrip().startswith(b"["):
            yield from self._each(_array.decode(raw), path, version, kind)
            return
        try:
            envelope = envelopes.decode(raw)
        except msgspec.MsgspecError as error:
            yield Fault(path, f"no Kubernetes object: {error}")
            return
        version, kind = envelope.api_version or version, envelope.kind or kind
        if kind.endswith("List") or not kind:
            if envelope.items is None and not kind:
                yield Fault(join(path, "kind"), "missing", "every Kubernetes object begins with apiVersion and kind")
            inner = kind.removesuffix("List")
            yield from self._each(envelope.items or [], join(path, "items"), version if inner else "", inner)
        elif version:
            yield Plain(version, kind, raw)
        else:
            yield Fault(join(path, "apiVersion"), "missing", "every Kubernetes object begins with apiVersion and kind")

    def _each(self, items: list[msgspec.Raw], path: str, version: str, kind: str) -> Iterator[Plain | Fault]:
        for index, item in enumerate(items):
            yield from self._any(item, f"{path}[{index}]", version, kind)
