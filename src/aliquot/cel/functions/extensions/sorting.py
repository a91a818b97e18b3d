"""`sort` and `sortBy` of cel-go's lists extension."""

from functools import cmp_to_key

from aliquot.cel.operators.ordering import COMPARABLE, compare
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.value import Err, Value


def sort(items: Value) -> Value:
    """In order."""
    return sort_by_keys(items, items) if type(items) in LISTS else Err("no such overload: sort")


def sort_by_keys(items: Value, keys: Value) -> Value:
    """In the order of keys, one for each element."""
    if type(items) not in LISTS:
        return Err("no such overload: @sortByAssociatedKeys")
    assert len(items) == len(keys)  # `sortBy` makes one of each
    if not items:
        return items
    if type(keys[0]) not in COMPARABLE:
        return Err("list elements must be comparable")
    if len(keys) > 1 and any(type(key) is not type(keys[0]) for key in keys):
        return Err("list elements must have the same type")

    def order(left: int, right: int) -> int:
        sign = compare(keys[left], keys[right])
        return sign if type(sign) is int else 0

    return [items[index] for index in sorted(range(len(items)), key=cmp_to_key(order))]
