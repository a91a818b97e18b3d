"""Arithmetic of run-time values, with cel-go's checks and texts."""

from typing import Final

from aliquot.cel.values.lists import LISTS, Joined
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, UINT_MAX, Uint
from aliquot.cel.values.times import TIME_MAX, TIME_MIN, Duration, Timestamp
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value

INT_OVERFLOW: Final = Err("integer overflow")
UINT_OVERFLOW: Final = Err("unsigned integer overflow")
TIMESTAMP_OVERFLOW: Final = Err("timestamp overflow")
DIVISION_BY_ZERO: Final = Err("division by zero")
MODULUS_BY_ZERO: Final = Err("modulus by zero")


def int_of(number: int) -> Value:
    """The int, or an overflow."""
    return number if INT_MIN <= number <= INT_MAX else INT_OVERFLOW


def _uint_of(number: int) -> Value:
    return Uint(number) if 0 <= number <= UINT_MAX else UINT_OVERFLOW


def _duration_of(nanos: int) -> Value:
    return Duration(nanos) if INT_MIN <= nanos <= INT_MAX else INT_OVERFLOW


def _timestamp_of(nanos: int, offset: int) -> Value:
    return Timestamp(nanos, offset) if TIME_MIN <= nanos <= TIME_MAX else TIMESTAMP_OVERFLOW


def unsupported(function: str, left: Value) -> Err:
    """What an operator says of an operand that has no such operation."""
    if type(left) in {str, Timestamp, Duration}:
        return NO_SUCH_OVERLOAD
    return Err(f"no such overload: {function}")


def add(left: Value, right: Value) -> Value:
    """`left + right`."""
    kind: type[object] = left.__class__
    if kind is int or kind is str or kind is float or kind is bytes:
        if type(right) is not kind:
            return NO_SUCH_OVERLOAD
        total = left + right
        return int_of(total) if kind is int else total
    if kind is Uint:
        return _uint_of(left.value + right.value) if type(right) is Uint else NO_SUCH_OVERLOAD
    if kind in LISTS:
        if type(right) not in LISTS:
            return NO_SUCH_OVERLOAD
        if not left:
            return right
        return Joined([*left, *right]) if right else left
    if kind is Duration:
        if type(right) is Duration:
            return _duration_of(left.nanos + right.nanos)
        return _timestamp_of(right.nanos + left.nanos, right.offset) if type(right) is Timestamp else NO_SUCH_OVERLOAD
    if kind is Timestamp:
        return _timestamp_of(left.nanos + right.nanos, left.offset) if type(right) is Duration else NO_SUCH_OVERLOAD
    return unsupported("_+_", left)


def subtract(left: Value, right: Value) -> Value:
    """`left - right`."""
    kind: type[object] = left.__class__
    if kind is int:
        return int_of(left - right) if type(right) is int else NO_SUCH_OVERLOAD
    if kind is float:
        return left - right if type(right) is float else NO_SUCH_OVERLOAD
    if kind is Uint:
        return _uint_of(left.value - right.value) if type(right) is Uint else NO_SUCH_OVERLOAD
    if kind is Duration:
        return _duration_of(left.nanos - right.nanos) if type(right) is Duration else NO_SUCH_OVERLOAD
    if kind is Timestamp:
        if type(right) is Duration:
            if right.nanos == INT_MIN:
                return INT_OVERFLOW
            return _timestamp_of(left.nanos - right.nanos, left.offset)
        return _duration_of(left.nanos - right.nanos) if type(right) is Timestamp else NO_SUCH_OVERLOAD
    return unsupported("_-_", left)


def multiply(left: Value, right: Value) -> Value:
    """`left * right`."""
    kind: type[object] = left.__class__
    if kind is int:
        return int_of(left * right) if type(right) is int else NO_SUCH_OVERLOAD
    if kind is float:
        return left * right if type(right) is float else NO_SUCH_OVERLOAD
    if kind is Uint:
        return _uint_of(left.value * right.value) if type(right) is Uint else NO_SUCH_OVERLOAD
    return unsupported("_*_", left)


def _quotient(left: int, right: int) -> int:
    """Division that cuts towards zero."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def divide(left: Value, right: Value) -> Value:
    """`left / right`; whole numbers are cut towards zero."""
    kind: type[object] = left.__class__
    if kind is int:
        if type(right) is not int:
            return NO_SUCH_OVERLOAD
        return int_of(_quotient(left, right)) if right else DIVISION_BY_ZERO
    if kind is float:
        return _divide_floats(left, right) if type(right) is float else NO_SUCH_OVERLOAD
    if kind is Uint:
        if type(right) is not Uint:
            return NO_SUCH_OVERLOAD
        return Uint(left.value // right.value) if right.value else DIVISION_BY_ZERO
    return unsupported("_/_", left)


def _divide_floats(left: float, right: float) -> float:
    if right:
        return left / right
    if left == 0 or left != left:  # noqa: PLR0124  NaN
        return float("nan")
    negative = (left < 0) != (str(right) == "-0.0")
    return float("-inf") if negative else float("inf")


def modulo(left: Value, right: Value) -> Value:
    """`left % right`, with the sign of the left side."""
    kind: type[object] = left.__class__
    if kind is int:
        if type(right) is not int:
            return NO_SUCH_OVERLOAD
        if right == 0:
            return MODULUS_BY_ZERO
        return INT_OVERFLOW if left == INT_MIN and right == -1 else left - right * _quotient(left, right)
    if kind is Uint:
        if type(right) is not Uint:
            return NO_SUCH_OVERLOAD
        return Uint(left.value % right.value) if right.value else MODULUS_BY_ZERO
    return unsupported("_%_", left)


def negate(value: Value) -> Value:
    """`-value`."""
    kind: type[object] = value.__class__
    if kind is int:
        return int_of(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return _duration_of(-value.nanos)
    return NO_SUCH_OVERLOAD if kind is bool else unsupported("-_", value)


def invert(value: Value) -> Value:
    """`!value`."""
    return not value if type(value) is bool else NO_SUCH_OVERLOAD
