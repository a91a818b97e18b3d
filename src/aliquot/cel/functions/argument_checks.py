"""Whether a run-time value fits a declared type."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.static_types import (
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
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.maps import is_map
from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.times import Duration, Timestamp
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.type_value import TypeValue
from aliquot.cel.values.value import Value

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
