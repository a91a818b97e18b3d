"""From a file's text to nouns and problems: documents are told apart, JSON from YAML, and faults get their lines."""

import re
from collections.abc import Iterator

import msgspec

from aliquot.cluster.items import ItemReader, Noun
from aliquot.cluster.json_stream import Broken
from aliquot.cluster.json_stream import documents as json_documents
from aliquot.cluster.problem import Problem
from aliquot.cluster.text import Unreadable, check_utf8
from aliquot.cluster.yaml_stream import YamlError, lines, load_all
from aliquot.kube.shape import Fault

_SEPARATOR = re.compile(rb"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')
_EMPTY = re.compile(rb"(?:[ \t\r]*(?:#[^\n]*|%[^\n]*|\.\.\.[ \t\r]*)?(?:\n|\Z))*\Z")
"""Only space, comments, directives and end marks."""

CHECK_DUPLICATES_BELOW_BYTES = 2**22
"""msgspec takes the last of two equal keys without a word; files this small are looked through for them (0.1 s)."""


def read_text(file: str, data: bytes, reader: ItemReader) -> Iterator[Noun | Problem]:
    """The nouns and the problems of a file, whose text is UTF-8 bytes."""
    parts = [(line, part) for line, part in _parts(data) if not _is_empty(part)]
    if not parts:
        yield Problem(file, "empty: there is no object in it")
        return
    number = 0
    for first_line, part in parts:
        document = number + 1 if len(parts) > 1 else None
        read = _json(file, part, reader, first_line, document) if _JSON.match(part) else None
        if read is None:
            read = _yaml(file, part, reader, first_line, document)
        yield from read
        number += 1


def _is_empty(part: bytes) -> bool:
    return len(part) < 65536 and _EMPTY.match(part) is not None


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(first line, text) between lines of `---`, as kubectl splits; a broken document doesn't spoil the next."""
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


def _json(
    file: str, part: bytes, reader: ItemReader, first_line: int, document: int | None
) -> Iterator[Noun | Problem]:
    several = document
    for number, found in enumerate(json_documents(part), 1):
        if isinstance(found, Broken):
            line = first_line + found.line - 1 if found.line is not None else None
            yield Problem(file, found.message, document=several, line=line, hint=found.hint)
            return
        if len(found) < len(part) and document is None:
            several = number
        for thing in reader.read(found):
            yield _problem(file, thing, several, None) if isinstance(thing, Fault) else thing


def _yaml(
    file: str, part: bytes, reader: ItemReader, first_line: int, document: int | None
) -> Iterator[Noun | Problem]:
    try:
        text = check_utf8(part, first_line)
        values = load_all(text)
    except Unreadable as error:
        yield Problem(file, error.message, document=document, line=error.line, hint=error.hint)
        return
    except YamlError as error:
        line = first_line + error.line - 1 if error.line is not None else None
        yield Problem(file, error.message, document=document, line=line, hint=error.hint)
        return
    for value in values:
        if not isinstance(value, (dict, list)):
            message = "expected a Kubernetes object, found text"
            yield Problem(
                file, message, document=document, line=first_line, hint="objects begin with apiVersion and kind"
            )
            continue
        faults: list[Fault] = []
        for thing in reader.read(msgspec.json.encode(value)):
            if isinstance(thing, Fault):
                faults.append(thing)
            else:
                yield thing
        if faults:
            known = lines(text, {fault.path for fault in faults}) if len(values) == 1 else {}
            for fault in faults:
                line = known.get(fault.path)
                yield _problem(file, fault, document, first_line + line - 1 if line is not None else None)


def _problem(file: str, fault: Fault, document: int | None, line: int | None) -> Problem:
    return Problem(file, fault.message, fault.path, document, line, fault.hint)
