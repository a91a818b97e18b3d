"""Conversions between types: `int(x)`, `string(x)` and the like."""

import re
from typing import Final

from aliquot.cel.functions.standard.durations import format_duration
from aliquot.cel.functions.standard.timestamps import format_timestamp
from aliquot.cel.operators.arithmetic import INT_OVERFLOW, UINT_OVERFLOW
from aliquot.cel.values.go_text import general
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, UINT_MAX, Uint
from aliquot.cel.values.times import Duration, Timestamp
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.type_value import TypeValue
from aliquot.cel.values.value import Err, Value

_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})
_INT: Final = re.compile(r"[+-]?0*([0-9]{1,19})", re.ASCII)
_UINT: Final = re.compile(r"0*([0-9]{1,20})", re.ASCII)
_FLOAT: Final = re.compile(
    r"[+-]?(?:[0-9_]+\.?[0-9_]*|\.[0-9_]+)(?:[eE][+-]?[0-9_]+)?|[+-]?inf(?:inity)?|nan", re.IGNORECASE
)
_HEX_FLOAT: Final = re.compile(r"[+-]?0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*[pP][+-]?[0-9]+", re.ASCII)


def identity(value: Value) -> Value:
    """The value itself."""
    return value


def type_of(value: Value) -> TypeValue:
    """`type(value)`."""
    return TypeValue(type_name(value))


def _impossible(source: str, target: str) -> Err:
    return Err(f"type conversion error from '{source}' to '{target}'")


def bool_of_string(text: str) -> Value:
    """`bool(text)`, in any of Go's spellings."""
    return True if text in _TRUE else False if text in _FALSE else _impossible("string", "bool")


def int_of_string(text: str) -> Value:
    """`int(text)`: decimal digits with an optional sign."""
    if _INT.fullmatch(text):
        number = int(text)
        if INT_MIN <= number <= INT_MAX:
            return number
    return _impossible("string", "int")


def uint_of_string(text: str) -> Value:
    """`uint(text)`: decimal digits."""
    if _UINT.fullmatch(text):
        number = int(text)
        if number <= UINT_MAX:
            return Uint(number)
    return _impossible("string", "uint")


def double_of_string(text: str) -> Value:
    """`double(text)`, in any of Go's spellings; a number beyond the range is an error."""
    try:
        if _HEX_FLOAT.fullmatch(text):
            return float.fromhex(text.replace("_", ""))
        if _FLOAT.fullmatch(text):
            number = float(text)
            if number not in {float("inf"), float("-inf")} or text[-1] in "fFyY":
                return number
    except (ValueError, OverflowError):
        pass
    return _impossible("string", "double")


def int_of_double(number: float) -> Value:
    """`int(number)`, cut towards zero."""
    return int(number) if INT_MIN < number < float(INT_MAX) else INT_OVERFLOW


def int_of_uint(number: Uint) -> Value:
    """`int(number)`."""
    return number.value if number.value <= INT_MAX else INT_OVERFLOW


def uint_of_double(number: float) -> Value:
    """`uint(number)`, cut towards zero."""
    return Uint(int(number)) if 0 <= number < float(UINT_MAX) else UINT_OVERFLOW


def uint_of_int(number: int) -> Value:
    """`uint(number)`."""
    return Uint(number) if number >= 0 else UINT_OVERFLOW


def double_of_uint(number: Uint) -> float:
    """`double(number)`."""
    return float(number.value)


def duration_of_int(_: int) -> Value:
    """`duration(number)` is declared, and always fails."""
    return _impossible("int", "google.protobuf.Duration")


def nanoseconds(duration: Duration) -> int:
    """`int(duration)`."""
    return duration.nanos


def string_of(value: Value) -> Value:
    """`string(value)`."""
    text = text_of(value)
    return _impossible(type_name(value), "string") if text is None else text


def bytes_of(text: str) -> bytes:
    """`bytes(text)`: its UTF-8."""
    return text.encode()


def text_of(value: Value) -> Value:
    """CEL's `string(value)`: a text, an error, or None for a type that has no text."""
    kind: type[object] = value.__class__
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is str:
        return str(value)
    if kind is Uint:
        return str(value.value)
    if kind is float:
        return general(value)
    if kind is bytes:
        try:
            return value.decode()
        except UnicodeDecodeError:
            return Err("invalid UTF-8 in bytes, cannot convert to string")
    if value is None:
        return "null"
    if kind is Duration:
        return format_duration(value)
    if kind is Timestamp:
        return format_timestamp(value)
    return value.name if kind is TypeValue else None
