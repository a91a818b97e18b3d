"""`includes` of DRA's environment."""

from typing import Final

from aliquot.cel.operators.equality import equal
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.value import Err, Value

INCLUDES_LIMIT: Final = 48
"""The longest list that 1.36's `includes` looks through: ResourceSliceMaxAttributeValuesPerDevice."""


def includes(value: Value, wanted: Value) -> Value:
    """Whether a list has an element, or another value is equal to it: 1.36's, which refuses long lists."""
    if type(value) not in LISTS:
        return equal(value, wanted) is True
    for index, item in enumerate(value):
        if index >= INCLUDES_LIMIT:
            return Err(f"'includes' function cannot be applied to lists longer than {INCLUDES_LIMIT} values")
        if equal(item, wanted) is True:
            return True
    return False


def includes_any_length(value: Value, wanted: Value) -> Value:
    """As `includes`, without the limit: 1.37's."""
    if type(value) not in LISTS:
        return equal(value, wanted) is True
    return any(equal(item, wanted) is True for item in value)
