"""The order of run-time values."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.times import Duration, Timestamp
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value

COMPARABLE: Final = frozenset({int, Uint, float, str, bytes, bool, Timestamp, Duration})


_NAN: Final = Err("NaN values cannot be ordered")


def _sign(left: Value, right: Value) -> int:
    return int(left > right) - int(left < right)


def _float_against_int(left: float, right: int) -> int:
    """A double against an int or a uint, as cel-go compares them: by the nearest double of the integer."""
    return _sign(left, float(right))


def compare(left: Value, right: Value) -> Value:
    """-1, 0 or 1, or an error; ints, uints and doubles compare with each other."""
    kind: type[object] = left.__class__
    other: type[object] = right.__class__
    if kind is int or kind is Uint or kind is float:
        if other is not int and other is not Uint and other is not float:
            return NO_SUCH_OVERLOAD if left == left else _NAN  # noqa: PLR0124  NaN
        if left != left or right != right:  # noqa: PLR0124  NaN
            return _NAN
        return compare_numbers(left, right)
    if kind is other and (kind is str or kind is bytes or kind is bool):
        return _text_order(left, right) if kind is str else _sign(left, right)
    if kind is other and (kind is Timestamp or kind is Duration):
        return _sign(left.nanos, right.nanos)
    return NO_SUCH_OVERLOAD


def _text_order(left: Value, right: Value) -> int:
    """By bytes of UTF-8, which is the order of code points, as Python's."""
    return _sign(left, right)


def compare_numbers(left: Value, right: Value) -> int:
    """-1, 0 or 1, of numbers that are no NaN."""
    a = left.value if type(left) is Uint else left
    b = right.value if type(right) is Uint else right
    if type(a) is float:
        return _sign(a, b) if type(b) is float else _float_against_int(a, b)
    if type(b) is float:
        return -_float_against_int(b, a)
    return _sign(a, b)


def _ordered(function: str, wanted: frozenset[int]) -> Callable[[Value, Value], Value]:
    comparable = frozenset({int, Uint, float, str, bytes, bool, Timestamp, Duration})

    def order(left: Value, right: Value) -> Value:
        if type(left) not in comparable:
            return Err(f"no such overload: {function}")
        sign = compare(left, right)
        return sign in wanted if type(sign) is int else sign

    return order


less = _ordered("_<_", frozenset({-1}))
less_or_equal = _ordered("_<=_", frozenset({-1, 0}))
greater = _ordered("_>_", frozenset({1}))
greater_or_equal = _ordered("_>=_", frozenset({1, 0}))
