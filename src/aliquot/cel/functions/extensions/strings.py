"""cel-go's strings extension (version 2), `format` apart; positions count characters."""

from typing import Final

from aliquot.cel.values.go_text import display
from aliquot.cel.values.stops import TEXT_LIMIT, TooCostly
from aliquot.cel.values.value import Err, Value

_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What Go's strings.TrimSpace trims."""

_LOWER: Final = {code: code + 32 for code in range(65, 91)}
_UPPER: Final = {code: code - 32 for code in range(97, 123)}
_QUOTED: Final = str.maketrans({
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"',
})  # fmt: skip


def _out_of_range(index: int) -> Err:
    return Err(f"index out of range: {index}")


def char_at(text: str, index: int) -> Value:
    """One character, or nothing right behind the end."""
    return text[index : index + 1] if 0 <= index <= len(text) else _out_of_range(index)


def index_of(text: str, part: str, offset: int = 0) -> Value:
    """Where a part first occurs at or behind an offset, or -1."""
    if not part:
        return offset
    return text.find(part, offset) if offset >= 0 else _out_of_range(offset)


def last_index_of(text: str, part: str) -> Value:
    """Where a part last occurs, or -1."""
    return len(text) if not part else text.rfind(part)


def last_index_of_offset(text: str, part: str, offset: int) -> Value:
    """Where a part last occurs at or before an offset, or -1."""
    if not part:
        return offset
    if offset < 0:
        return _out_of_range(offset)
    return text.rfind(part, 0, offset + len(part)) if offset < len(text) else -1


def index_of_checked(text: str, part: str, offset: int) -> Value:
    """As `index_of`, since cel-go 0.29: an empty part is found at the offset only within the text."""
    if part:
        return index_of(text, part, offset)
    return min(offset, len(text)) if offset >= 0 else _out_of_range(offset)


def last_index_of_checked(text: str, part: str, offset: int) -> Value:
    """As `last_index_of_offset`, since cel-go 0.29."""
    return last_index_of_offset(text, part, offset) if part else index_of_checked(text, part, offset)


def lower_ascii(text: str) -> str:
    """ASCII letters in lower case."""
    return text.lower() if text.isascii() else text.translate(_LOWER)


def upper_ascii(text: str) -> str:
    """ASCII letters in upper case."""
    return text.upper() if text.isascii() else text.translate(_UPPER)


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    """Parts replaced, at most `count` unless it's negative.

    Raises:
        TooCostly: the result would be longer than `TEXT_LIMIT`.
    """
    if len(new) > len(old) and len(new) * (len(text) + 1) > TEXT_LIMIT:
        found = text.count(old) if count < 0 else min(count, text.count(old))
        if len(text) + found * (len(new) - len(old)) > TEXT_LIMIT:
            raise TooCostly
    return text.replace(old, new, max(count, -1))


def split(text: str, separator: str, limit: int = -1) -> Value:
    """The parts between separators, at most `limit` unless it's negative; an empty separator splits characters."""
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1)
    if limit < 0 or limit >= len(text):
        return list(text)
    return [*text[: limit - 1], text[limit - 1 :]]


def substring(text: str, start: int) -> Value:
    """From a position on."""
    return text[start:] if 0 <= start <= len(text) else _out_of_range(start)


def substring_to(text: str, start: int, end: int) -> Value:
    """From a position up to before another."""
    if start > end:
        return Err(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        return _out_of_range(start)
    return text[start:end] if end <= len(text) else _out_of_range(end)


def trim(text: str) -> str:
    """Without white space at both ends."""
    return text.strip(_SPACE)


def quote(text: str) -> str:
    """In double quotes, with escapes."""
    return f'"{text.translate(_QUOTED)}"'


def join(parts: Value, separator: str = "") -> Value:
    """The parts of a list with a separator between them.

    Raises:
        TooCostly: the result would be longer than `TEXT_LIMIT`.
    """
    for part in parts:
        if type(part) is not str:
            return Err(f"join: invalid input: {display(part)}")
    if sum(map(len, parts)) + len(separator) * len(parts) > TEXT_LIMIT:
        raise TooCostly
    return separator.join(parts)
