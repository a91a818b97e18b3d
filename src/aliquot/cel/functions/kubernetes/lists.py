"""Kubernetes' functions of lists."""

from collections.abc import Callable

from aliquot.cel.operators.arithmetic import add
from aliquot.cel.operators.equality import equal
from aliquot.cel.operators.ordering import COMPARABLE, compare
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value


def is_sorted(items: Value) -> Value:
    """Whether no element is smaller than the one before it."""
    for index, item in enumerate(items):
        if type(item) not in COMPARABLE:
            return NO_SUCH_OVERLOAD
        if index and compare(items[index - 1], item) == 1:
            return False
    return True


def summing(start: Value) -> Callable[[Value], Value]:
    """The function that adds a list up, from a start that is right for its type."""

    def total(items: Value) -> Value:
        result = start
        for item in items:
            result = add(result, item)
            if isinstance(result, Err):
                return result
        return result

    return total


def smallest(items: Value) -> Value:
    """The least element."""
    return _extreme(items, 1, "min")


def largest(items: Value) -> Value:
    """The greatest element."""
    return _extreme(items, -1, "max")


def _extreme(items: Value, worse: int, name: str) -> Value:
    if not items:
        return Err(f"{name} called on empty list")
    best = items[0]
    for item in items:
        if type(item) not in COMPARABLE:
            return NO_SUCH_OVERLOAD
        if compare(best, item) == worse:
            best = item
    return best


def index_of(items: Value, wanted: Value) -> int:
    """Where an element first is, or -1."""
    return next((index for index, item in enumerate(items) if equal(item, wanted) is True), -1)


def last_index_of(items: Value, wanted: Value) -> int:
    """Where an element last is, or -1."""
    return next((index for index in range(len(items) - 1, -1, -1) if equal(items[index], wanted) is True), -1)
