"""The run-time type of a value: its name, and whether a declared type accepts it."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.celtypes import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    LIST,
    MAP,
    NULL,
    OPAQUE,
    PARAM,
    STRING,
    STRUCT,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
)
from aliquot.cel.networks import Cidr, Ip
from aliquot.cel.urls import Url
from aliquot.cel.values import (
    Duration,
    Growing,
    GrowingMap,
    Joined,
    MapValue,
    Optional,
    Sum,
    Timestamp,
    TypeValue,
    Uint,
    Value,
)
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    tuple: "list",
    Joined: "list",
    Growing: "list",
    dict: "map",
    MapValue: "map",
    GrowingMap: "map",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    TypeValue: "type",
    Optional: "optional_type",
    Quantity: "kubernetes.Quantity",
    Sum: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Url: "kubernetes.URL",
    Ip: "net.IP",
    Cidr: "net.CIDR",
}

LISTS: Final = frozenset({list, tuple, Joined, Growing})
"""The Python types that are a CEL list."""


def type_name(value: Value) -> str:
    """The name that `type(value)` has."""
    kind: type[object] = value.__class__
    return _NAMES.get(kind, "map")


def register(kind: type, name: str) -> None:
    """Name a type of values that is defined above this module."""
    _NAMES[kind] = name


def is_map(value: Value) -> bool:
    """Whether the value is a map, an attribute map of a device included."""
    return isinstance(value, dict | MapValue)


Check = Callable[[Value], bool]


def checker_of(declared: Type) -> Check | None:
    """A test of run-time values against a declared type, or None where everything passes.

    Parameters are looked at only in the first element, as cel-go does.
    """
    kind = declared.kind
    if kind <= PARAM:
        return None
    if kind in _SIMPLE:
        accepted = _SIMPLE[kind]
        return lambda value: type(value) is accepted
    if kind == LIST:
        element = checker_of(declared.params[0])
        if element is None:
            return lambda value: type(value) in LISTS
        return lambda value: type(value) in LISTS and (not value or element(value[0]))
    if kind == MAP:
        return is_map
    name = declared.name
    assert kind in {OPAQUE, STRUCT}
    return lambda value: type_name(value) == name


_SIMPLE: Final[dict[int, type]] = {
    BOOL: bool,
    INT: int,
    UINT: Uint,
    DOUBLE: float,
    STRING: str,
    BYTES: bytes,
    NULL: type(None),
    TIMESTAMP: Timestamp,
    DURATION: Duration,
    TYPE: TypeValue,
}


_GO_TYPES: Final = {
    "bool": "types.Bool",
    "int": "types.Int",
    "uint": "types.Uint",
    "double": "types.Double",
    "string": "types.String",
    "bytes": "types.Bytes",
    "null_type": "types.Null",
    "google.protobuf.Timestamp": "types.Timestamp",
    "google.protobuf.Duration": "types.Duration",
    "optional_type": "*types.Optional",
    "type": "*types.Type",
    "kubernetes.Quantity": "cel.Quantity",
    "kubernetes.Semver": "cel.Semver",
    "kubernetes.URL": "cel.URL",
    "kubernetes.NamedFormat": "cel.Format",
    "net.IP": "cel.IP",
    "net.CIDR": "cel.CIDR",
}


def go_type_name(value: Value) -> str:
    """The name of the Go type that holds the value, which some of cel-go's errors show."""
    return "*cel.Quantity" if type(value) is Sum else _GO_TYPES.get(type_name(value), "types.Lister")
