"""cel-go's sets extension."""

from aliquot.cel.operators.membership import contains
from aliquot.cel.values.value import Value


def set_contains(items: Value, wanted: Value) -> Value:
    """Whether a list has every element of another."""
    return all(contains(items, item) for item in wanted)


def set_equivalent(left: Value, right: Value) -> Value:
    """Whether two lists have the same elements, repetitions and order aside."""
    return set_contains(left, right) and set_contains(right, left)


def set_intersects(left: Value, right: Value) -> Value:
    """Whether two lists share an element."""
    return any(contains(right, item) for item in left)
