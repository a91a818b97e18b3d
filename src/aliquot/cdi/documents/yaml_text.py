"""YAML text of plain data: block style, laid out as the Go library writes it, keys as they come.

Written by hand as every YAML reader must take the result alike: YAML 1.1 (`on`, `0600`, `12:30`) and 1.2 (`0o17`,
`1e3`) differ on which plain words are strings, so only words that no version mistakes stand unquoted.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

Data = str | int | bool | None | Sequence["Data"] | Mapping[str, "Data"]

# A letter, slash or underscore first; no ": " and no " #" inside; no space at the end. Or a version of three numbers.
_PLAIN = re.compile(r"[A-Za-z_/](?:[A-Za-z0-9_./=@%+,()-]|:(?=[^\s])|(?<=[^\s]) (?=[^\s#]))*|\d+\.\d+\.\d+")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_STOP = 4  # what stands below a key starts at the next multiple
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # YAML refuses them, or ends the line there


def to_text(data: Data) -> str:
    """The data as a YAML block, ending in a newline.

    Scalars are text, whole numbers, booleans and None.
    """
    return "\n".join(_block(data, 0)) + "\n"


def printable(text: str) -> str:
    """JSON text that is YAML too: the few characters that YAML takes otherwise are escaped."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _block(data: Data, column: int) -> Iterator[str]:
    """The lines of a mapping or a list that isn't empty, or the one line of anything else."""
    margin = " " * column
    if isinstance(data, Mapping) and data:
        for key, value in data.items():
            yield from _member(f"{margin}{_scalar(key)}:", value, _next_stop(column))
    elif isinstance(data, Sequence) and not isinstance(data, str) and data:
        for item in data:
            first, *more = _block(item, column + 2)
            yield f"{margin}- {first[column + 2 :]}"
            yield from more
    else:
        yield margin + _scalar(data)


def _next_stop(column: int) -> int:
    return column // _STOP * _STOP + _STOP


def _member(head: str, value: Data, column: int) -> Iterator[str]:
    if value and isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        yield head
        yield from _block(value, column)
    else:
        yield f"{head} {_scalar(value)}"


def _scalar(value: Data) -> str:
    if isinstance(value, str):
        if value.lower() not in _WORDS and _PLAIN.fullmatch(value):
            return value
        return printable(json.dumps(value, ensure_ascii=False))
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, Sequence):
        return "[]"
    return json.dumps(value)
