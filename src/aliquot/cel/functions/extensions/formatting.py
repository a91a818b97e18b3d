"""`"...".format([...])` of the strings extension, with the numbers of an American locale."""

from collections.abc import Callable
from decimal import Decimal
from typing import Final

from aliquot.cel.functions.extensions.format_clauses import parse_clauses
from aliquot.cel.functions.standard.conversions import text_of
from aliquot.cel.functions.standard.durations import format_duration
from aliquot.cel.functions.standard.timestamps import format_timestamp
from aliquot.cel.values.go_text import display, general, go_quote
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.maps import entries_of, is_map
from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.stops import TEXT_LIMIT, TooCostly
from aliquot.cel.values.times import Duration, Timestamp
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value

DEFAULT_PRECISION: Final = 6
_SUPERSCRIPT: Final = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")
_SPECIAL: Final = frozenset({"NaN", "Infinity", "-Infinity"})


class FormatError(ValueError):
    """A clause or an argument that doesn't fit; the message is cel-go's."""


Clause = Callable[[Value], str]


def format_text(template: Value, arguments: Value) -> Value:
    """The template with its clauses filled from a list.

    Raises:
        TooCostly: the result would be longer than `TEXT_LIMIT`.
    """
    parts: list[str] = []
    length = index = 0
    for part in parse_clauses(template):
        if isinstance(part, str):
            parts.append(part)
            continue
        letter, precision = part
        if index >= len(arguments):
            return Err(f"index {index} out of range")
        if letter[0] == "!":
            return Err(letter[1:])
        try:
            text = format_one(letter, precision, arguments[index])
        except FormatError as error:
            return Err(f"error during formatting: {error}")
        length += len(text)
        if length > TEXT_LIMIT:
            raise TooCostly
        parts.append(text)
        index += 1
    return "".join(parts)


def format_one(letter: str, precision: int | None, value: Value) -> str:
    """One argument by one clause.

    Raises:
        FormatError: the clause doesn't take such a value.
    """
    digits = DEFAULT_PRECISION if precision is None else precision
    if letter == "s":
        return _as_string(value)
    if letter == "d":
        return _as_decimal(value)
    if letter == "f":
        return _fixed(_float_of(value, "fixed-point"), digits)
    if letter == "e":
        return _scientific(_float_of(value, "scientific"), digits)
    kind: type[object] = value.__class__
    number = value.value if kind is Uint else value
    if letter == "b":
        if kind is bool:
            return "1" if value else "0"
        if kind is int or kind is Uint:
            return format(number, "b")
        raise FormatError(f"only integers and bools can be formatted as binary, was given {type_name(value)}")
    if letter == "o":
        if kind is int or kind is Uint:
            return format(number, "o")
        raise FormatError(f"octal clause can only be used on integers, was given {type_name(value)}")
    if kind is str or kind is bytes:
        raw: bytes = value.encode() if kind is str else value
        text = raw.hex()
        return text.upper() if letter == "X" else text
    if kind is int or kind is Uint:
        return format(number, letter)
    raise FormatError(f"only integers, byte buffers, and strings can be formatted as hex, was given {type_name(value)}")


def _float_of(value: Value, clause: str) -> float:
    if type(value) is float:
        return value
    if type(value) is str and value in _SPECIAL:
        return float(value.replace("inity", ""))
    raise FormatError(f"{clause} clause can only be used on doubles, was given {type_name(value)}")


def _special(number: float) -> str | None:
    if number != number:  # noqa: PLR0124  NaN
        return "NaN"
    return ("∞" if number > 0 else "-∞") if number in {float("inf"), float("-inf")} else None


def _fixed(number: float, digits: int) -> str:
    return _special(number) or format(Decimal(number or 0.0), f",.{min(digits, 1000)}f")


def _scientific(number: float, width: int) -> str:
    """Go's bug is kept: the precision is taken for a width, and six digits are written."""
    special = _special(number)
    if special is not None:
        return special.rjust(min(width, 1000))
    mantissa, _, exponent = f"{number or 0.0:.{DEFAULT_PRECISION}e}".partition("e")
    return f"{mantissa}×10{exponent.lstrip('+').translate(_SUPERSCRIPT)}".rjust(min(width, 1000))


def _as_decimal(value: Value) -> str:
    if type(value) is int or type(value) is Uint:
        return display(value)
    raise FormatError(f"decimal clause can only be used on integers, was given {type_name(value)}")


def _as_string(value: Value) -> str:
    kind: type[object] = value.__class__
    if kind is str:
        return str(value)
    if kind in LISTS:
        return f"[{', '.join(_nested(item) for item in value)}]"
    if is_map(value):
        return _as_map(value)
    text = text_of(value)
    if isinstance(text, str):
        return text
    if isinstance(text, Err):
        raise FormatError(f'could not convert argument "{text.message}" to string')
    raise FormatError(
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
        f"timestamps, was given {type_name(value)}"
    )


def _as_map(value: Value) -> str:
    pairs: list[tuple[str, str]] = []
    for key, item in entries_of(value):
        if type(key) not in {str, bool, int, Uint}:
            raise FormatError(f"no formatting function for map key of type {type_name(key)}")
        pairs.append((_nested(key), _nested(item)))
    return "{" + ", ".join(f"{key}:{item}" for key, item in sorted(pairs, key=lambda pair: pair[0])) + "}"


def _nested(value: Value) -> str:
    """A value inside a list or map: texts are quoted, doubles have six decimals."""
    kind: type[object] = value.__class__
    if kind is str:
        return go_quote(value)
    if kind is bytes:
        return f"b{go_quote(_as_string(value))}"
    if kind is float:
        if _special(value):
            return f'"{general(value)}"'
        return f"{value:.{DEFAULT_PRECISION}f}"
    if kind is Duration:
        return f'duration("{format_duration(value)}")'
    if kind is Timestamp:
        return f'timestamp("{format_timestamp(value)}")'
    if kind in LISTS or is_map(value) or text_of(value) is not None:
        return _as_string(value)
    raise FormatError(f"no formatting function for {type_name(value)}")
