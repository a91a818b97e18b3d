"""Reading fields and indices of run-time values, as cel-go's qualifiers do."""

from typing import Final

from aliquot.cel.values.go_text import display
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.map_keys import find
from aliquot.cel.values.maps import is_map
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, Uint
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value


class _Missing:
    """Stands for what isn't there."""


MISSING: Final = _Missing()


class Held:
    """An element of a list that is an error: it was found, unlike an error of the index."""

    __slots__ = ("error",)

    def __init__(self, error: Err) -> None:
        self.error = error


_QUALIFIERS: Final = frozenset({str, int, Uint, bool, float})


def is_qualifier(value: Value) -> bool:
    """Whether a value of this type may be an index at all."""
    return type(value) in _QUALIFIERS


def get(container: Value, index: Value) -> Value:
    """`container[index]`, or the error that it gives."""
    if type(container) in LISTS:
        position = _position(index)
        if isinstance(position, Err):
            return position
        if 0 <= position < len(container):
            return container[position]
        return Err(f"index out of bounds: {display(index)}")
    if is_map(container):
        found, value = find(container, index)
        if found:
            return value
    return Err(f"no such key: {display(index)}")


def get_if_present(container: Value, index: Value) -> Value:
    """`container[?index]`: the value, `Held`, MISSING, or an error for an index of a wrong type."""
    if type(container) in LISTS:
        position = _position(index)
        if isinstance(position, Err):
            return position
        if not 0 <= position < len(container):
            return MISSING
        item = container[position]
        return Held(item) if type(item) is Err else item
    if is_map(container):
        found, value = find(container, index)
        if found:
            return value
    return MISSING


def _position(index: Value) -> int | Err:
    kind: type[object] = index.__class__
    if kind is int:
        return int(index)
    if kind is Uint:
        return index.value if index.value <= INT_MAX else Err(f"unsupported index value {display(index)} in list")
    if kind is float:
        if INT_MIN < index < float(INT_MAX) and index == int(index):
            return int(index)
        return Err(f"unsupported index value {display(index)} in list")
    return Err(f"unsupported index type '{type_name(index)}' in list")
