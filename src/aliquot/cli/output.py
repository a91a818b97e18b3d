"""Writing for people and for programs: answers to stdout, everything else to stderr."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def colour(stream: object = None) -> bool:
    """Colours only on a terminal, and not where NO_COLOR is set (no-color.org)."""
    target = stream or sys.stderr
    return bool(getattr(target, "isatty", lambda: False)()) and "NO_COLOR" not in os.environ


def _paint(code: str, text: str) -> str:
    return f"\033[{code}m{text}\033[0m" if colour() else text


def fail(message: str, hint: str = "") -> None:
    """What went wrong, and what to do."""
    print(f"{_paint('1;31', 'error:')} {message}", file=sys.stderr)
    if hint:
        print(f"{_paint('36', 'hint:')} {hint}", file=sys.stderr)


def warn(message: object) -> None:
    """Something in the input that was left out."""
    print(f"{_paint('33', 'warning:')} {message}", file=sys.stderr)


def note(message: object) -> None:
    """What a person should know of the answer."""
    print(f"{_paint('36', 'note:')} {message}", file=sys.stderr)


def progress(message: str) -> None:
    """What's being done, on one line of a terminal's stderr; empty: done, the line goes."""
    if sys.stderr.isatty():
        print(f"\r\033[K{message}", end="", file=sys.stderr, flush=True)


def write_json(value: "Mapping[str, object]") -> None:
    """One JSON document, indented."""
    import msgspec

    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(_encodable(value))
    sys.stdout.buffer.write(msgspec.json.format(encoded, indent=2))
    sys.stdout.buffer.write(b"\n")


def write_stream(head: "Mapping[str, object]", name: str, items: "Iterable[object]") -> None:
    """One JSON document on one line, written piece by piece: `head`, with a list `name` before its last field."""
    import msgspec

    out = sys.stdout.buffer
    encode = msgspec.json.Encoder().encode
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

    try:
        text: str = yaml.dump(value, Dumper=Plain, sort_keys=False, allow_unicode=True, width=110)
    except UnicodeEncodeError:
        text = yaml.dump(_encodable(value), Dumper=Plain, sort_keys=False, allow_unicode=True, width=110)
    sys.stdout.write(text)


def _encodable(value: object) -> object:
    """The same with escapes for bytes that are no UTF-8: a file's name can have them."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
