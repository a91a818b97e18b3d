"""JSON documents, one after the other: alone, concatenated, a line each, or as `kubectl cluster-info dump` prints them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

_TRAILING = re.compile(r"trailing characters \(byte (\d+)\)")
_AT_BYTE = re.compile(r"^JSON is malformed: (.*) \(byte (\d+)\)$")
_LOG_START = b"==== START logs"
_LOG_END = re.compile(rb"^==== END logs.*$", re.MULTILINE)
_SPACE = re.compile(rb"[ \t\r\n]*")


@dataclass(frozen=True, slots=True)
class Broken:
    """A document that can't be read; `line` from 1 within the data."""

    message: str
    line: int | None = None
    hint: str = ""


def documents(data: bytes) -> Iterator[memoryview | Broken]:
    """The bytes of each document; ends with a Broken where the text stops being JSON."""
    view = memoryview(data)
    at = 0
    while True:
        at = _after_logs(data, at)
        if at >= len(data):
            return
        try:
            msgspec.json.decode(view[at:], type=msgspec.Raw)
        except msgspec.DecodeError as error:
            trailing = _TRAILING.search(str(error))
            if trailing is None:
                yield _broken(data, at, str(error))
                return
            end = at + int(trailing[1])
            yield view[at:end]
            at = end
        except RecursionError:
            yield Broken("nested too deeply", data.count(b"\n", 0, at) + 1)
            return
        else:
            yield view[at:]
            return


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
