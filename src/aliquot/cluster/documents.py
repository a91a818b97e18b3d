"""From a file's text to nouns and problems: documents are told apart, JSON from YAML, and faults get their lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import msgspec

from aliquot.cluster.envelope import Document
from aliquot.cluster.items import ItemReader, Noun
from aliquot.cluster.json_stream import Broken, duplicates
from aliquot.cluster.json_stream import documents as json_documents
from aliquot.cluster.problem import Problem
from aliquot.cluster.text import UnreadableError, check_utf8
from aliquot.kube.reading.shape import Fault
from aliquot.kube.reading.shape import found as words

# libyaml is loaded for YAML only: a dump is JSON, and reading it shouldn't wait

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

_SEPARATOR = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')
_EMPTY = re.compile(rb"(?:[ \t\r]*(?:#[^\n]*|%[^\n]*|\.\.\.[ \t\r]*)?(?:\n|\Z))*\Z")
"""Only space, comments, directives and end marks."""

NOTHING = "empty: there is no object in it"

LOOK_AGAIN_BELOW_BYTES = 2**22
"""JSON texts this small are looked through for equal keys, which msgspec takes without a word, and for lines: 0.1 s."""


class DocumentReader(Protocol[T_co]):
    """Takes one document apart: into nouns (`ItemReader`), or into plain objects."""

    def read(self, document: Document) -> Iterator[T_co | Fault]:
        """The objects and the faults of a document."""
        ...


def read_text(file: str, data: bytes, reader: ItemReader) -> Iterator[Noun | Problem]:
    """The nouns and the problems of a file, whose text is UTF-8 bytes."""
    found: Iterator[Noun | Problem] = read_documents(file, data, reader)
    return found


def read_documents(file: str, data: bytes, reader: DocumentReader[T]) -> Iterator[T | Problem]:
    """What the reader makes of the file's documents, and the problems."""
    parts = [(line, part) for line, part in _parts(data) if not _is_empty(part)]
    if not parts:
        yield Problem(file, NOTHING)
        return
    for number, (first_line, part) in enumerate(parts, 1):
        place = _Place(file, number if len(parts) > 1 else None, first_line)
        yield from (_json if _JSON.match(part) else _yaml)(part, reader, place)


def _is_empty(part: bytes) -> bool:
    return len(part) < 65536 and _EMPTY.match(part) is not None


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(first line, text) between lines of `---`, as kubectl splits; a broken document doesn't spoil the next.

    Large JSON isn't searched for them: where JSON documents follow each other, they're separated by `json_stream` too.
    """
    if len(data) >= LOOK_AGAIN_BELOW_BYTES and _JSON.match(data):
        yield 1, data
        return
    start = 0
    line = 1
    for separator in _separators(data):
        yield line, data[start:separator]
        line += data.count(b"\n", start, separator)
        start = separator + 3
    yield line, data[start:] if start else data


def _separators(data: bytes) -> Iterator[int]:
    if _SEPARATOR.match(data):
        yield 0
    at = data.find(b"\n---")
    while at >= 0:
        if _SEPARATOR.match(data[at + 1 : at + 5]):
            yield at + 1
        at = data.find(b"\n---", at + 4)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a document begins."""

    file: str
    document: int | None
    """Its number, of several."""
    line: int
    """Its first line in the file, from 1."""

    def problem(self, message: str, line: int | None = None, hint: str = "", path: str = "") -> Problem:
        """A problem of this document; `line` counts from 1 within the document."""
        inside = self.line + line - 1 if line is not None else None
        return Problem(self.file, message, path, self.document, inside, hint)

    def problems(self, faults: list[Fault], text: str | None) -> list[Problem]:
        """Faults with their lines, in the order of lines, where the text is given; it's read once more for them."""
        if not faults or text is None:
            known: dict[str, int] = {}
        else:
            from aliquot.cluster.yaml_stream import lines

            known = lines(text, {fault.path for fault in faults})
        placed = [
            replace(self.problem(fault.message, known.get(fault.path), fault.hint, fault.path), lost=fault.lost)
            for fault in faults
        ]
        return sorted(placed, key=lambda problem: problem.line or 0)


def _json(part: bytes, reader: DocumentReader[T], place: _Place) -> Iterator[T | Problem]:
    several = place.document
    for number, found in enumerate(json_documents(part), 1):
        if place.document is None and (number > 1 or found.followed):
            several = number
        here = _Place(place.file, several, place.line + found.line - 1)
        if isinstance(found, Broken):
            yield here.problem(found.message, 1, found.hint)
            return
        text = _text(found.document.data) if len(part) < LOOK_AGAIN_BELOW_BYTES else None
        faults = [Fault(path, "given twice: the last one counts", "keep one of them") for path in _doubled(text)]
        yield from _read(found.document, reader, faults)
        yield from here.problems(faults, text)


def _doubled(text: str | None) -> list[str]:
    return duplicates(text) if text is not None else []


def _text(data: bytes | memoryview) -> str:
    return bytes(data).decode(errors="replace")


def _yaml(part: bytes, reader: DocumentReader[T], place: _Place) -> Iterator[T | Problem]:
    from aliquot.cluster.yaml_stream import YamlError, load_all

    try:
        text = check_utf8(part)
        values = load_all(text, _packed)
    except UnreadableError as error:
        yield place.problem(error.message, error.line, error.hint)
        return
    except YamlError as error:
        yield place.problem(error.message, error.line, error.hint)
        return
    if not values:
        yield place.problem(NOTHING)
    for value in values:
        if not isinstance(value, (dict, list)):
            message = f"expected a Kubernetes object, found {words(value)}"
            yield place.problem(message, 1, "objects begin with apiVersion and kind")
            continue
        faults: list[Fault] = []
        yield from _read(Document(msgspec.json.encode(value)), reader, faults)
        yield from place.problems(faults, text)


def _packed(value: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))


def _read(document: Document, reader: DocumentReader[T], faults: list[Fault]) -> Iterator[T]:
    """The nouns; faults are added to the list."""
    try:
        for thing in reader.read(document):
            if isinstance(thing, Fault):
                faults.append(thing)
            else:
                yield thing
    except RecursionError:
        faults.append(Fault("", "nested too deeply"))
