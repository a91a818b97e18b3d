"""cel-go's optional types."""

from aliquot.cel.values.go_text import display
from aliquot.cel.values.maps import MapValue
from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.times import TIME_MIN, Duration, Timestamp
from aliquot.cel.values.value import Err, Value


def first(items: Value) -> Value:
    """The first element, if there's one."""
    return Optional(items[0]) if items else NONE


def last(items: Value) -> Value:
    """The last element, if there's one."""
    return Optional(items[-1]) if items else NONE


def unwrap(items: Value) -> Value:
    """The values of those optionals that have one."""
    result: list[Value] = []
    for item in items:
        if type(item) is not Optional:
            return Err(f"value {display(item)} is not optional")
        if item is not NONE:
            result.append(item.value)
    return result


def _is_zero(value: Value) -> bool:
    """cel-go's zero values; Kubernetes' own types have none."""
    if value is None:
        return True
    if type(value) in {Duration, Timestamp}:
        return bool(value.nanos == (0 if type(value) is Duration else TIME_MIN))
    if type(value) is Uint:
        return bool(value.value == 0)
    return type(value) in {bool, int, float, str, bytes, list, tuple, dict, MapValue} and not value


def optional_unless_zero(value: Value) -> Optional:
    """`optional.ofNonZeroValue(value)`."""
    return NONE if _is_zero(value) else Optional(value)


def has_value(option: Optional) -> bool:
    """`option.hasValue()`."""
    return option is not NONE


def value_of(option: Optional) -> Value:
    """`option.value()`."""
    return Err("optional.none() dereference") if option is NONE else option.value
