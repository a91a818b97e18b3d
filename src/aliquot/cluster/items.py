"""From one JSON document to nouns: lists are taken apart, each object goes to the reader of its kind."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from aliquot.cluster import header
from aliquot.cluster.envelope import Document, Envelope, envelopes
from aliquot.dra import read as dra_read
from aliquot.kube.reading import kinds as kube_kinds
from aliquot.kube.reading.kind import Kind
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import Fault, found, join

Noun = kube_kinds.Noun | dra_read.Noun

_KINDS: dict[tuple[str, str], Kind[Noun]] = {
    (f"{kind.group}/{version}" if kind.group else version, kind.name): kind
    for kind in (*kube_kinds.KINDS, *dra_read.KINDS)
    for version in kind.versions
}
_BY_NAME: dict[str, list[tuple[str, str]]] = {}
for _version, _name in _KINDS:
    _BY_NAME.setdefault(_name.lower(), []).append((_version, _name))
_GROUPS = frozenset(kind.group for kind in _KINDS.values())


def kinds_read() -> dict[tuple[str, str], tuple[str, ...]]:
    """(API group, kind) -> the versions that can be read, best first."""
    known: dict[tuple[str, str], tuple[str, ...]] = {}
    for kind in (*kube_kinds.KINDS, *dra_read.KINDS):
        known[kind.group, kind.name] = (*known.get((kind.group, kind.name), ()), *kind.versions)
    return known


_PEEK = re.compile(rb'\s*\{\s*"apiVersion":\s*"([^"\\]+)",\s*"kind":\s*"([^"\\]+)"')
"""How kubectl begins an object; everything else is decoded to find its kind."""


class _Loose(msgspec.Struct, rename="camel"):
    """The same of any types, to say what is wrong."""

    api_version: Any = None
    kind: Any = None
    items: msgspec.Raw = msgspec.Raw(b"")


_loose = msgspec.json.Decoder(_Loose)
_array = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(slots=True)
class ItemReader:
    """Reads documents, and remembers parts that repeat from one to the next."""

    memo: Memo = field(default_factory=Memo)
    skipped: Counter[str] = field(default_factory=Counter[str])
    """Objects of kinds that no decision needs, by kind."""
    headers: list[header.Header] = field(default_factory=list[header.Header])
    """What dumps of our own say about themselves."""

    def read(self, document: Document) -> Iterator[Noun | Fault]:
        """The nouns and the faults of a document."""
        data, envelope = document.data, document.envelope
        if envelope is None:
            if bytes(data[:64]).lstrip().startswith(b"["):
                yield from self._each(_array.decode(data), "", "", "")
                return
            try:
                envelope = envelopes.decode(data)
            except msgspec.MsgspecError:
                yield from self._misshapen(data, "")
                return
        yield from self._object(data, envelope, "", "", "")

    def _object(self, raw: Any, envelope: Envelope, path: str, version: str, kind: str) -> Iterator[Noun | Fault]:
        version = envelope.api_version or version
        kind = envelope.kind or kind
        if envelope.items is not None and (kind.endswith("List") or not kind):
            inner = kind.removesuffix("List")
            yield from self._each(envelope.items, join(path, "items"), version if inner else "", inner)
        elif kind.endswith("List") and _is_list(version, kind):
            return
        else:
            yield from self.item(raw, path, version, kind)

    def _each(self, items: list[msgspec.Raw], path: str, version: str, kind: str) -> Iterator[Noun | Fault]:
        kinds = _KINDS
        for index, raw in enumerate(items):
            peeked = _PEEK.match(raw)
            if peeked is not None:
                known = kinds.get((peeked[1].decode(errors="replace"), peeked[2].decode(errors="replace")))
                if known is not None:
                    yield from self._of(known, raw, f"{path}[{index}]")
                    continue
            where = f"{path}[{index}]"
            try:
                envelope = envelopes.decode(raw)
            except msgspec.MsgspecError:
                yield from self._misshapen(raw, where)
                continue
            yield from self._object(raw, envelope, where, version, kind)

    def item(self, raw: Any, path: str, version: str, kind: str) -> Iterator[Noun | Fault]:
        """The noun and the faults of one object, whose kind is known; `path` is where it stands, for the faults."""
        known = _KINDS.get((version, kind))
        if known is not None:
            yield from self._of(known, raw, path)
        elif (version, kind) == (header.VERSION, header.KIND):
            self.headers.append(header.read(raw))
        elif not kind or not version:
            missing = "kind" if not kind else "apiVersion"
            yield Fault(join(path, missing), "missing", "every Kubernetes object begins with apiVersion and kind")
        elif (near := _nearly(version, kind)) is not None:
            yield near.under(path)
        else:
            self.skipped[kind] += 1

    def _of(self, known: Kind[Noun], raw: Any, path: str) -> Iterator[Noun | Fault]:
        noun, faults = known.read(raw, self.memo)
        if noun is not None:
            yield noun
        for fault in faults:
            yield replace(fault.under(path), lost=known.name if noun is None else "")

    def _misshapen(self, raw: Any, path: str) -> Iterator[Fault]:
        """Something that isn't an object with a kind: says why."""
        try:
            loose = _loose.decode(raw)
        except msgspec.ValidationError:
            value = msgspec.json.decode(raw)
            yield Fault(path, f"expected a Kubernetes object, found {found(value)}")
            return
        except msgspec.MsgspecError as error:
            yield Fault(path, f"can't be read: {error}")
            return
        for name, value in (("apiVersion", loose.api_version), ("kind", loose.kind)):
            if value is not None and not isinstance(value, str):
                yield Fault(join(path, name), f"expected a string, found {found(value)}")
        items = bytes(loose.items)
        if items and not items.startswith(b"[") and items != b"null":
            yield Fault(join(path, "items"), f"expected a list, found {found(msgspec.json.decode(items))}")


def _is_list(version: str, kind: str) -> bool:
    return kind == "List" or (version, kind.removesuffix("List")) in _KINDS


def _nearly(version: str, kind: str) -> Fault | None:
    """A kind that would be read if it were written right, or in another version."""
    known = _BY_NAME.get(kind.lower())
    if known is None:
        return None
    group = version.rpartition("/")[0]
    if group not in _GROUPS and group != "extensions":
        return None  # someone's own kind of the same name
    right = known[0][1]
    if kind != right:
        return Fault("kind", f'there is no kind "{kind}"', f"write {right}")
    versions = ", ".join(sorted(version for version, _ in known))
    return Fault("apiVersion", f"{kind} of {version} can't be read", f"known are {versions}")
