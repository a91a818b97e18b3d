"""From a result to a verdict."""

from typing import Final

from aliquot.cel.problems import EvaluationError
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value


def verdict(value: Value) -> bool | EvaluationError:
    """True, False, or why the result is neither."""
    if value is True or value is False:
        return value
    if type(value) is Err:
        return EvaluationError(value.message)
    why = _no_bool(value)
    if why is True or why is False:
        return why
    return EvaluationError(f"CEL result of type {type_name(value)} could not be converted to bool: {why}")


_UNCONVERTED: Final = {
    "string": "unsupported native conversion from string to 'bool'",
    "int": "unsupported type conversion from 'int' to bool",
    "uint": "unsupported type conversion from 'uint' to bool",
    "double": "type conversion error from Double to 'bool'",
    "bytes": "type conversion error from Bytes to 'bool'",
    "list": "type conversion error from list to 'bool'",
    "map": "type conversion error from map to 'bool'",
    "null_type": "type conversion error from 'null_type' to 'bool'",
    "type": "type conversion not supported for 'type'",
    "google.protobuf.Timestamp": "type conversion error from 'Timestamp' to 'bool'",
    "google.protobuf.Duration": "type conversion error from 'Duration' to 'bool'",
    "kubernetes.Quantity": "type conversion error from 'Quantity' to 'bool'",
    "kubernetes.Semver": "type conversion error from 'Semver' to 'bool'",
    "kubernetes.URL": "type conversion error from 'URL' to 'bool'",
    "kubernetes.NamedFormat": "type conversion error from 'Format' to 'bool'",
    "net.IP": "type conversion error from 'IP' to 'bool'",
    "net.CIDR": "type conversion error from 'CIDR' to 'bool'",
}


def _no_bool(value: Value) -> bool | str:
    """Why a result is no bool, or the bool inside an optional."""
    if type(value) is Optional:
        return "optional.none() dereference" if value is NONE else _no_bool(value.value)
    return value if type(value) is bool else _UNCONVERTED[type_name(value)]
