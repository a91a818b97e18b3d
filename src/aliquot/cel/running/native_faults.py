"""Why a value can't become one of Go's own types, in cel-go's words."""

from typing import Final

from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value

_FAULTS: Final = {
    "string": "unsupported native conversion from string to '{}'",
    "int": "unsupported type conversion from 'int' to {}",
    "uint": "unsupported type conversion from 'uint' to {}",
    "double": "type conversion error from Double to '{}'",
    "bool": "type conversion error from bool to '{}'",
    "bytes": "type conversion error from Bytes to '{}'",
    "list": "type conversion error from list to '{}'",
    "map": "type conversion error from map to '{}'",
    "null_type": "type conversion error from 'null_type' to '{}'",
    "type": "type conversion not supported for 'type'",
    "google.protobuf.Timestamp": "type conversion error from 'Timestamp' to '{}'",
    "google.protobuf.Duration": "type conversion error from 'Duration' to '{}'",
    "kubernetes.Quantity": "type conversion error from 'Quantity' to '{}'",
    "kubernetes.Semver": "type conversion error from 'Semver' to '{}'",
    "kubernetes.URL": "type conversion error from 'URL' to '{}'",
    "kubernetes.NamedFormat": "type conversion error from 'Format' to '{}'",
    "net.IP": "type conversion error from 'IP' to '{}'",
    "net.CIDR": "type conversion error from 'CIDR' to '{}'",
    "optional_type": "optional.none() dereference",
}


def native_fault(value: Value, go_type: str) -> str:
    """The text for a value that isn't of the type; of an optional only the absent one."""
    return str(value.message) if type(value) is Err else _FAULTS[type_name(value)].format(go_type)
