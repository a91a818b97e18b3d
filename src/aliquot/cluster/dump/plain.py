"""Objects as plain JSON values, of any kind, from the same documents that the readers of nouns take."""

from collections.abc import Iterator
from typing import Any

import msgspec

from aliquot.kube.reading.shape import Fault, found, join

Json = dict[str, Any]


class PlainReader:
    """Takes lists apart; every object has its apiVersion and kind."""

    def read(self, document: bytes | memoryview) -> Iterator[Json | Fault]:
        """The objects of a document, which is valid JSON; what isn't an object with a kind is a fault."""
        try:
            value = msgspec.json.decode(document)
        except msgspec.MsgspecError as error:
            yield Fault("", f"can't be read: {error}")
            return
        yield from self._any(value, "", None, None)

    def _any(self, value: Any, path: str, version: Any, kind: Any) -> Iterator[Json | Fault]:
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self._any(item, f"{path}[{index}]", version, kind)
            return
        if not isinstance(value, dict):
            yield Fault(path, f"expected a Kubernetes object, found {found(value)}")
            return
        version, kind = value.get("apiVersion") or version, value.get("kind") or kind
        items = value.get("items")
        if isinstance(items, list) and (not isinstance(kind, str) or kind.endswith("List")):
            inner = kind.removesuffix("List") if isinstance(kind, str) else ""
            yield from self._any(items, join(path, "items"), version if inner else None, inner or None)
        elif isinstance(version, str) and isinstance(kind, str):
            if not kind.endswith("List"):
                yield {**value, "apiVersion": version, "kind": kind}
        else:
            yield Fault(path, "has no apiVersion and kind", "every Kubernetes object begins with them")
