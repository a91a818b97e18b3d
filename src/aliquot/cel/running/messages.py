"""Messages that an expression makes: each becomes the value that it stands for, as cel-go's `NativeToValue` does."""

import base64
import struct
from collections.abc import Callable
from typing import Final

from aliquot.cel.functions.standard.durations import format_duration
from aliquot.cel.functions.standard.timestamps import SECOND, format_timestamp
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.running.native_faults import native_fault
from aliquot.cel.values.go_text import display
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.map_keys import key_of
from aliquot.cel.values.maps import MapValue, entries_of, is_map
from aliquot.cel.values.network.cidr import Cidr
from aliquot.cel.values.network.ip import Ip
from aliquot.cel.values.network.url import Url
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, Uint
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.quantities import ComputedQuantity, quantity_of
from aliquot.cel.values.times import TIME_MIN, Duration, Timestamp
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

MESSAGE_COST: Final = 40
_YEAR_1: Final = TIME_MIN // SECOND

Fields = dict[str, Value]
_JSON_INT: Final = 2**53 - 1
"""Integers beyond this, either way, are texts in JSON."""


class FieldFault(Exception):  # noqa: N818  caught where the message is made
    """A value that a field doesn't take."""


def message_maker(name: str, entries: list[tuple[str, Run, bool]]) -> Run:
    """`name{field: value, ?field: value}`, as (field, value, whether it's marked with `?`)."""
    make = _MAKERS.get(name)

    def run(frame: Frame) -> Value:
        made = build(frame)
        frame.cost += MESSAGE_COST
        return made

    def build(frame: Frame) -> Value:
        fields: Fields = {}
        for field, value_run, optional in entries:
            value = value_run(frame)
            if type(value) is Err:
                return value
            if optional:
                if type(value) is not Optional:
                    return Err(f"cannot initialize optional entry '{field}' from non-optional value {display(value)}")
                if value is NONE:
                    fields.pop(field, None)
                    continue
                value = value.value
            fields[field] = value
        if make is None:
            return Err(f"unknown type '{name}'")
        try:
            return make(name, fields)
        except FieldFault as fault:
            return Err(str(fault))

    return run


# --- fields ----------------------------------------------------------------------------------------------------------
def _fault(place: str, why: str) -> FieldFault:
    return FieldFault(f"field type conversion error for {place} value type: {why}")


def _plain(place: str, value: Value, kind: type, go_type: str) -> Value:
    """A value of the field's type; one inside an optional will do."""
    while type(value) is Optional and value is not NONE:
        value = value.value
    if type(value) is kind:
        return value
    if kind is str and type(value) in _PRINTED:
        return str(quantity_of(value))
    raise _fault(place, native_fault(value, go_type))


_PRINTED: Final = frozenset({Quantity, ComputedQuantity, Semver, Ip, Cidr, Url})
"""Kubernetes' types that Go takes for texts."""


def _int(place: str, value: Value, bits: int) -> int:
    number: int = _plain(place, value, int, f"int{bits}")
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise _fault(place, "integer overflow")
    return number


# --- JSON ------------------------------------------------------------------------------------------------------------
def _json(place: str, value: Value, go_type: str = "*structpb.Value") -> Value:
    """A value as it comes back from JSON."""
    kind: type[object] = value.__class__
    if value is None or kind is bool or kind is float or kind is str:
        return value
    if kind is int or kind is Uint:
        number: int = value.value if kind is Uint else value
        return float(number) if -_JSON_INT <= number <= _JSON_INT else str(number)
    if kind is bytes:
        return base64.b64encode(value).decode()
    if kind is Timestamp:
        return format_timestamp(value)
    if kind is Duration:
        return format_duration(value)
    if kind in LISTS:
        return [_json(place, item) for item in value]
    if is_map(value):
        return _json_map(place, value)
    if kind is Optional and value is not NONE:
        return _json(place, value.value, go_type)
    raise _fault(place, native_fault(value, go_type))


def _json_map(place: str, value: Value) -> MapValue:
    made: dict[Value, tuple[Value, Value]] = {}
    for key, item in entries_of(value):
        name = _plain(place, key, str, "string")
        made[key_of(name)] = (name, _json(place, item))
    return MapValue(made)


# --- messages --------------------------------------------------------------------------------------------------------
def _wrapper(kind: type, go_type: str, default: Value) -> Callable[[str, Fields], Value]:
    return lambda name, fields: _plain(f"{name}.value", fields.get("value", default), kind, go_type)


def _bytes(name: str, fields: Fields) -> Value:
    """Bytes, or a list of them as uints."""
    place, given = f"{name}.value", fields.get("value", b"")
    if type(given) not in LISTS:
        return _plain(place, given, bytes, "[]uint8")
    numbers = [_plain(place, item, Uint, "uint8").value for item in given]
    if any(number > 255 for number in numbers):
        raise _fault(place, "unsigned integer overflow")
    return bytes(numbers)


def _int32(name: str, fields: Fields) -> Value:
    return _int(f"{name}.value", fields.get("value", 0), 32)


def _uint32(name: str, fields: Fields) -> Value:
    value = _plain(f"{name}.value", fields.get("value", Uint(0)), Uint, "uint32")
    if value.value >= 2**32:
        raise _fault(f"{name}.value", "unsigned integer overflow")
    return value


def _float(name: str, fields: Fields) -> Value:
    """A double in the precision of 32 bits."""
    number: float = _plain(f"{name}.value", fields.get("value", 0.0), float, "float32")
    return struct.unpack("f", struct.pack("f", number))[0]


def _seconds(name: str, fields: Fields) -> int:
    return _int(f"{name}.seconds", fields.get("seconds", 0), 64)


def _nanos(name: str, fields: Fields) -> int:
    return _int(f"{name}.nanos", fields.get("nanos", 0), 32)


def _duration(name: str, fields: Fields) -> Value:
    """A length beyond 64 bits of nanoseconds becomes the longest."""
    nanos = _seconds(name, fields) * SECOND + _nanos(name, fields)
    return Duration(min(max(nanos, INT_MIN), INT_MAX))


def _timestamp(name: str, fields: Fields) -> Value:
    """Go counts seconds from year 1, and wraps around where 64 bits don't hold them."""
    seconds = (_seconds(name, fields) - _YEAR_1 + 2**63) % 2**64 - 2**63 + _YEAR_1
    return Timestamp(seconds * SECOND + _nanos(name, fields))


def _struct(name: str, fields: Fields) -> Value:
    given, place = fields.get("fields", MapValue()), f"{name}.fields"
    if not is_map(given):
        raise FieldFault(f"unsupported field type for {place}: {_SHOWN.get(type_name(given), type_name(given))}")
    return _json_map(place, given)


def _list(name: str, fields: Fields) -> Value:
    given, place = fields.get("values", []), f"{name}.values"
    if type(given) not in LISTS:
        raise FieldFault(f"unsupported field type for {place}: {_SHOWN.get(type_name(given), type_name(given))}")
    return [_json(place, item) for item in given]


def _value(name: str, fields: Fields) -> Value:
    """The field that is set; of several, Go takes any."""
    made: Value = None
    for field, value in fields.items():
        place = f"{name}.{field}"
        if field == "null_value":
            _int(place, value, 32)
            made = None
        elif field == "struct_value":
            made = _of_json(place, value, MapValue, "*structpb.Struct")
        elif field == "list_value":
            made = _of_json(place, value, list, "*structpb.ListValue")
        else:
            made = _plain(place, value, *_SCALARS[field])
    return made


def _of_json(place: str, value: Value, kind: type, go_type: str) -> Value:
    made = _json(place, value, go_type)
    if type(made) is not kind:
        raise _fault(place, native_fault(value, go_type))
    return made


_SHOWN: Final = {"map": "map(dyn, dyn)", "list": "list(dyn)"}
_SCALARS: Final[dict[str, tuple[type, str]]] = {
    "number_value": (float, "float64"),
    "string_value": (str, "string"),
    "bool_value": (bool, "bool"),
}
_MAKERS: Final[dict[str, Callable[[str, Fields], Value]]] = {
    "google.protobuf.BoolValue": _wrapper(bool, "bool", default=False),
    "google.protobuf.BytesValue": _bytes,
    "google.protobuf.DoubleValue": _wrapper(float, "float64", 0.0),
    "google.protobuf.FloatValue": _float,
    "google.protobuf.Int32Value": _int32,
    "google.protobuf.Int64Value": _wrapper(int, "int64", 0),
    "google.protobuf.StringValue": _wrapper(str, "string", ""),
    "google.protobuf.UInt32Value": _uint32,
    "google.protobuf.UInt64Value": _wrapper(Uint, "uint64", Uint(0)),
    "google.protobuf.Duration": _duration,
    "google.protobuf.Timestamp": _timestamp,
    "google.protobuf.Struct": _struct,
    "google.protobuf.ListValue": _list,
    "google.protobuf.Value": _value,
}
