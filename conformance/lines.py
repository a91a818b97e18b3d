"""JSON lines: one object a line, in and out."""

import gzip
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec


def parse(text: bytes) -> Iterator[dict[str, Any]]:
    """Each non-empty line as an object; a broken line ends the run with its number."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError as error:
            message = f"line {number}: {error}"
            raise SystemExit(message) from error


def read(path: Path) -> list[dict[str, Any]]:
    """The objects of a file: JSON lines (``.gz`` too), or one JSON list."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if data.lstrip().startswith(b"["):
        return msgspec.json.decode(data, type=list[dict[str, Any]])
    return list(parse(data))


def dump(objects: Iterable[Any]) -> bytes:
    """Objects as JSON lines."""
    return b"".join(msgspec.json.encode(each) + b"\n" for each in objects)


def serve(answer: Callable[[dict[str, Any], int], Any]) -> None:
    """Answer each line of standard input on standard output; ``answer`` gets the case and its line number."""
    for number, case in enumerate(parse(sys.stdin.buffer.read()), start=1):
        sys.stdout.buffer.write(dump([answer(case, number)]))
    sys.stdout.buffer.flush()
