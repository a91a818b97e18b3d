"""JSON documents one after the other: concatenated, a line each, or as `kubectl cluster-info dump` prints them."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from aliquot.cluster.envelope import Document, Envelope, envelopes
from aliquot.kube.reading.shape import join

_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
_AT_BYTE = re.compile(r"^JSON is malformed: (.*) \(byte (\d+)\)$")
_LOG_START = b"==== START logs"
_LOG_END = re.compile(rb"^==== END logs.*$", re.MULTILINE)
_SPACE = re.compile(rb"(?:[ \t\r\n]|(?<![^\n])---(?=[ \t\r\n]|\Z))*")
"""Space, and lines of `---`."""


@dataclass(frozen=True, slots=True)
class Found:
    """A document."""

    document: Document
    line: int
    """Where it begins, from 1."""
    followed: bool
    """Whether something comes after it."""


@dataclass(frozen=True, slots=True)
class Broken:
    """Text that isn't JSON."""

    message: str
    line: int
    hint: str = ""
    followed: bool = False


def documents(data: bytes) -> Iterator[Found | Broken]:
    """Each document; ends with a Broken where the text stops being JSON."""
    view = memoryview(data)
    at, counted, line = 0, 0, 1
    while (at := _after_logs(data, at)) < len(data):
        line += data.count(b"\n", counted, at)
        counted = at
        try:
            envelope = _read_whole(view[at:])
        except msgspec.DecodeError as error:
            trailing = _TRAILING.search(str(error))
            if trailing is None:
                yield _broken(data, at, str(error))
                return
            end = at + int(trailing[1]) - 1  # msgspec counts the first trailing character as read
            yield Found(Document(view[at:end]), line, followed=_after_logs(data, end) < len(data))
            at = end
        except RecursionError:
            yield Broken("nested too deeply", line)
            return
        else:
            yield Found(Document(view[at:], envelope), line, followed=False)
            return


def _read_whole(text: memoryview) -> Envelope | None:
    """The envelope of a text that is one document; None of one that has another shape.

    Raises:
        DecodeError: it isn't one document.
    """
    try:
        return envelopes.decode(text)
    except msgspec.DecodeError:  # of another shape, or no document: the next line tells
        msgspec.json.decode(text, type=msgspec.Raw)
        return None


def _after_logs(data: bytes, at: int) -> int:
    """Past space, and past the container logs that `kubectl cluster-info dump` prints between its lists."""
    while True:
        space = _SPACE.match(data, at)
        at = space.end() if space else at
        if not data.startswith(_LOG_START, at):
            return at
        end = _LOG_END.search(data, at)
        at = end.end() if end else len(data)


def _broken(data: bytes, at: int, message: str) -> Broken:
    if "truncated" in message:
        return Broken("JSON ends in the middle: the file is truncated", data.count(b"\n") + 1, "write the dump again")
    found = _AT_BYTE.match(message)
    if found is None:
        return Broken(f"not JSON: {message}", data.count(b"\n", 0, at) + 1)
    position = at + int(found[2])
    line = data.count(b"\n", 0, position) + 1
    column = position - data.rfind(b"\n", 0, position)
    near = data[max(at, position - 8) : position + 12].decode(errors="replace").replace("\n", " ").strip()
    hint = ""
    if re.match(rb"-?(NaN|Infinity)", data[position : position + 9]):
        hint = "NaN and Infinity aren't JSON"
    elif data[position : position + 1] == b"'":
        hint = "JSON strings are in double quotes"
    return Broken(f"not JSON: {found[1]} in column {column}, near `{near}`", line, hint)


class _Doubled(dict[str, Any]):
    """An object with keys that were given twice."""

    keys_twice: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    counted = Counter(key for key, _ in pairs)
    doubled = _Doubled(made)
    doubled.keys_twice = tuple(key for key, number in counted.items() if number > 1)
    return doubled


def duplicates(text: str) -> list[str]:
    """The paths of keys that an object of this document has more than once."""
    try:
        return list(_doubled_paths(json.loads(text, object_pairs_hook=_object, parse_int=str, parse_float=str), ""))
    except (ValueError, RecursionError):
        return []  # whoever reads it says so


def _doubled_paths(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, _Doubled):
        yield from (join(path, key) for key in value.keys_twice)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _doubled_paths(item, join(path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _doubled_paths(item, f"{path}[{index}]")
