"""The protocol buffers that an expression may write: cel-go's well-known types (`common/types/pb`), and the device."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.static_types import Type, list_of, map_of, nullable

_JSON_MAP: Final = map_of(t.STRING_T, t.DYN_T)
_JSON_LIST: Final = list_of(t.DYN_T)
_INSTANT: Final = {"seconds": t.INT_T, "nanos": t.INT_T}
_WRAPPED: Final = {
    "BoolValue": t.BOOL_T,
    "BytesValue": t.BYTES_T,
    "DoubleValue": t.DOUBLE_T,
    "FloatValue": t.DOUBLE_T,
    "Int32Value": t.INT_T,
    "Int64Value": t.INT_T,
    "StringValue": t.STRING_T,
    "UInt32Value": t.UINT_T,
    "UInt64Value": t.UINT_T,
}


NO_FIELDS: Final[Mapping[str, Type]] = {}


@dataclass(frozen=True, slots=True, eq=False)
class MessageType:
    """A message: the type of the value that it stands for, and the types of its fields."""

    result: Type
    fields: Mapping[str, Type]


MESSAGES: Final[Mapping[str, MessageType]] = {
    **{f"google.protobuf.{name}": MessageType(nullable(inner), {"value": inner}) for name, inner in _WRAPPED.items()},
    "duration": MessageType(t.DURATION_T, _INSTANT),
    "timestamp": MessageType(t.TIMESTAMP_T, _INSTANT),
    "google.protobuf.Duration": MessageType(t.DURATION_T, _INSTANT),
    "google.protobuf.Timestamp": MessageType(t.TIMESTAMP_T, _INSTANT),
    "google.protobuf.Struct": MessageType(_JSON_MAP, {"fields": _JSON_MAP}),
    "google.protobuf.ListValue": MessageType(_JSON_LIST, {"values": _JSON_LIST}),
    "google.protobuf.Value": MessageType(
        t.DYN_T,
        {
            "null_value": t.INT_T,
            "number_value": t.DOUBLE_T,
            "string_value": t.STRING_T,
            "bool_value": t.BOOL_T,
            "struct_value": _JSON_MAP,
            "list_value": _JSON_LIST,
        },
    ),
}
"""By name; `duration` and `timestamp` can't be made at run time. Not here: Any, Empty, and the entries of a Struct."""
