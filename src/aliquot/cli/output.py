"""Writing for people and for programs: answers to stdout, everything else to stderr."""

import os
import sys
from typing import TYPE_CHECKING

from aliquot.cli.terminal import coloured, emit, escaped_json, has_formats, is_terminal, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def _paint(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if coloured(sys.stderr) else text


def _say(code: str, label: str, message: object) -> None:
    emit(f"{_paint(code, label)} {visible(str(message))}\n", sys.stderr)


def fail(message: str, hint: str = "") -> None:
    """What went wrong, and what to do."""
    _say("1;31", "error:", message)
    if hint:
        say_hint(hint)


def say_hint(hint: str) -> None:
    """What to do."""
    _say("36", "hint:", hint)


def point(line: str, column: int) -> None:
    """A line of the user's, and a caret under one of its columns (from 1)."""
    before = visible(line[: column - 1])
    emit(f"  {visible(line)}\n  {_paint('1;31', ' ' * len(before) + '^')}\n", sys.stderr)


def warn(message: object) -> None:
    """Something in the input that was left out."""
    _say("33", "warning:", message)


def note(message: object) -> None:
    """What a person should know of the answer."""
    _say("36", "note:", message)


def progress(message: str) -> None:
    """What's being done, on one line of a terminal's stderr; empty: done, the line goes."""
    if is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb":
        emit(f"\r\033[K{visible(message)}", sys.stderr)
        sys.stderr.flush()


def write_json(value: "Mapping[str, object]") -> None:
    """One JSON document, indented."""
    import msgspec

    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_encodable(value))
    sys.stdout.buffer.write(escaped_json(msgspec.json.format(encoded, indent=2)))
    sys.stdout.buffer.write(b"\n")


def write_stream(head: "Mapping[str, object]", name: str, items: "Iterable[object]") -> None:
    """One JSON document on one line, written piece by piece: `head`, with a list `name` before its last field."""
    import msgspec

    out = sys.stdout.buffer
    encoder = msgspec.json.Encoder()

    def encode(value: object) -> bytes:
        return escaped_json(encoder.encode(value))

    *first, last = [encode(key) + b":" + encode(value) for key, value in head.items()]
    out.write(b"{" + b"".join(field + b"," for field in first) + encode(name) + b":[")
    for number, item in enumerate(items):
        out.write((b"," if number else b"") + encode(item))
    out.write(b"]," + last + b"}\n")


def write_yaml(value: "Mapping[str, object]") -> None:
    """One YAML document, keys in their order, no aliases."""
    import yaml

    class Plain(yaml.CSafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            del data  # every repeated value is written out: people copy parts of the answer
            return True

    def text(dumper: Plain, value: str) -> "yaml.ScalarNode":
        quoted = '"' if has_formats(value) else None  # in such quotes characters may be written as escapes
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=quoted)

    Plain.add_representer(str, text)
    try:
        written: str = yaml.dump(value, Dumper=Plain, sort_keys=False, allow_unicode=True, width=110)
    except UnicodeEncodeError:
        written = yaml.dump(_encodable(value), Dumper=Plain, sort_keys=False, allow_unicode=True, width=110)
    emit(visible(written, lines=True), sys.stdout)


def _encodable(value: object) -> object:
    """The same with escapes for bytes that are no UTF-8: a file's name can have them."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
