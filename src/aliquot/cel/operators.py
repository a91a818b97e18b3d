"""Arithmetic, order and equality of run-time values, with cel-go's checks and texts."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.dynamics import LISTS, is_map
from aliquot.cel.networks import Cidr, Ip
from aliquot.cel.urls import Url
from aliquot.cel.values import (
    INT_MAX,
    INT_MIN,
    NO_SUCH_OVERLOAD,
    NONE,
    UINT_MAX,
    Duration,
    Err,
    GrowingMap,
    Joined,
    MapValue,
    Optional,
    Sum,
    Timestamp,
    TypeValue,
    Uint,
    Value,
    key_of,
)
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

INT_OVERFLOW: Final = Err("integer overflow")
UINT_OVERFLOW: Final = Err("unsigned integer overflow")
TIMESTAMP_OVERFLOW: Final = Err("timestamp overflow")
DIVISION_BY_ZERO: Final = Err("division by zero")
MODULUS_BY_ZERO: Final = Err("modulus by zero")
_NAN: Final = Err("NaN values cannot be ordered")
TIME_MIN: Final = -62135596800 * 10**9
TIME_MAX: Final = 253402300800 * 10**9 - 1
"""The first and last nanosecond of a timestamp: years 1 to 9999."""


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
        return _compare_numbers(left, right)
    if kind is other and (kind is str or kind is bytes or kind is bool):
        return _text_order(left, right) if kind is str else _sign(left, right)
    if kind is other and (kind is Timestamp or kind is Duration):
        return _sign(left.nanos, right.nanos)
    return NO_SUCH_OVERLOAD


def _text_order(left: Value, right: Value) -> int:
    """By bytes of UTF-8, which is the order of code points, as Python's."""
    return _sign(left, right)


def _compare_numbers(left: Value, right: Value) -> int:
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

_NUMBERS: Final = frozenset({int, Uint, float})
_STRICT: Final = (Semver, Url, Ip, Cidr)


def equal(left: Value, right: Value) -> Value:
    """`left == right`: a bool, or an error where Kubernetes' types refuse what stands on the right.

    Values of different types are unequal, numbers are equal by value; a double is compared with an integer's nearest
    double.
    """
    kind: type[object] = left.__class__
    other: type[object] = right.__class__
    if kind is str or kind is bool or kind is bytes or kind is TypeValue or kind is Duration:
        return kind is other and left == right
    if kind in _NUMBERS:
        if other not in _NUMBERS or left != left or right != right:  # noqa: PLR0124  NaN
            return False
        return _compare_numbers(left, right) == 0
    if left is None or right is None:
        return left is right
    if kind is Timestamp:
        return other is Timestamp and left.nanos == right.nanos
    if kind in LISTS:
        return other in LISTS and _equal_lists(left, right)
    if is_map(left):
        return is_map(right) and _equal_maps(left, right)
    if kind is Optional:
        return _equal_optionals(left, right)
    return equal_opaque(left, right)


def equal_opaque(left: Value, right: Value) -> Value:
    """Equality of Kubernetes' own types: only with the same type."""
    kind: type[object] = left.__class__
    other: type[object] = right.__class__
    if kind is Quantity or kind is Sum:
        if other is not Quantity:  # a computed quantity isn't recognised on the right, see `Sum`
            return NO_SUCH_OVERLOAD
        return quantity_of(left) == right
    if kind is not other:
        return NO_SUCH_OVERLOAD
    return left == right


def quantity_of(value: Value) -> Quantity:
    """The amount of a quantity, read or computed."""
    return value.quantity if type(value) is Sum else value


def _equal_lists(left: Value, right: Value) -> Value:
    if len(left) != len(right):
        return False
    failed: Value = None
    for a, b in zip(left, right, strict=True):
        answer = equal(a, b)
        if answer is False:
            return False
        if answer is not True and failed is None:
            failed = answer
    # a plain list of Go takes an error for equality; a joined one reports it
    return failed if failed is not None and type(left) is Joined else True


def _equal_maps(left: Value, right: Value) -> Value:
    if size_of(left) != size_of(right):
        return False
    for key, value in entries_of(left):
        found, other = find(right, key)
        if not found or equal(value, other) is False:
            return False
    return True


def _equal_optionals(left: Value, right: Value) -> Value:
    if type(right) is not Optional or type(left) is not Optional:
        return False
    if left is NONE or right is NONE:
        return left is right
    return equal(left.value, right.value)


def size_of(container: Value) -> int:
    """The number of entries of a map."""
    return len(container)


def entries_of(container: Value) -> list[tuple[Value, Value]]:
    """Key and value of each entry of a map, in its order."""
    if isinstance(container, MapValue):
        return list(container.entries.values())
    return list(container.items())


def find(container: Value, key: Value) -> tuple[bool, Value]:
    """Look a key up in a map: whether it's there, and its value. Numbers find keys equal to them by value.

    Raises:
        Panic: the key is of a kind that panics in Go's maps.
    """
    if type(container) is not MapValue and type(container) is not GrowingMap:
        if type(key) is str and key in container:
            return True, container[key]
        default = getattr(container, "default", None)
        return default is not None, default
    entries = container.entries
    if not entries:
        return False, None
    entry = entries.get(key_of(key))
    if entry is None and type(key) in _NUMBERS:
        entry = _find_number(entries, key)
    return (False, None) if entry is None else (True, entry[1])


def _find_number(entries: dict[Value, tuple[Value, Value]], key: Value) -> tuple[Value, Value] | None:
    if type(key) is int:
        return entries.get(Uint(key)) if key >= 0 else None
    if type(key) is Uint:
        return entries.get(key.value) if key.value <= INT_MAX else None
    number: float = key
    if number != number or number in {float("inf"), float("-inf")} or number != int(number):  # noqa: PLR0124
        return None
    whole = int(number)
    entry = entries.get(whole) if INT_MIN < whole <= INT_MAX else None
    return entry if entry is not None else entries.get(Uint(whole)) if 0 <= whole <= UINT_MAX else None
