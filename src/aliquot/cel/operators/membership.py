"""The operator `in`."""

from aliquot.cel.operators.equality import equal
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.map_keys import find
from aliquot.cel.values.maps import MapValue
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Value


def contains(items: Value, wanted: Value) -> bool:
    """`wanted in items`; an element that refuses the comparison counts as different."""
    return any(equal(wanted, item) is True for item in items)


def is_in(wanted: Value, container: Value) -> Value:
    """`wanted in container`, for lists and maps.

    Raises:
        Panic: the key is of a kind that panics in Go's maps.
    """
    if type(container) in LISTS:
        return contains(container, wanted)
    if isinstance(container, dict):
        return type(wanted) is str and wanted in container
    if isinstance(container, MapValue):
        return find(container, wanted)[0]
    return NO_SUCH_OVERLOAD
