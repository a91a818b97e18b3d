"""The run-time type of a value, by name: CEL's and Go's."""

from typing import Final

from aliquot.cel.values.lists import Joined
from aliquot.cel.values.maps import GrowingMap, MapValue
from aliquot.cel.values.named_format import NamedFormat
from aliquot.cel.values.network.cidr import Cidr
from aliquot.cel.values.network.ip import Ip
from aliquot.cel.values.network.url import Url
from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.optional import Optional
from aliquot.cel.values.quantities import ComputedQuantity
from aliquot.cel.values.times import Duration, Timestamp
from aliquot.cel.values.type_value import TypeValue
from aliquot.cel.values.value import Value
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
    dict: "map",
    MapValue: "map",
    GrowingMap: "map",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    TypeValue: "type",
    Optional: "optional_type",
    Quantity: "kubernetes.Quantity",
    ComputedQuantity: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Url: "kubernetes.URL",
    Ip: "net.IP",
    Cidr: "net.CIDR",
    NamedFormat: "kubernetes.NamedFormat",
}


def type_name(value: Value) -> str:
    """The name that `type(value)` has."""
    kind: type[object] = value.__class__
    return _NAMES.get(kind, "map")


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
    return "*cel.Quantity" if type(value) is ComputedQuantity else _GO_TYPES.get(type_name(value), "types.Lister")
