"""The functions of lists: Kubernetes' own, cel-go's lists extension (version 3), sets, and `includes`."""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Final

from aliquot.cel.dynamics import LISTS, type_name
from aliquot.cel.operators import add, compare, entries_of, equal, find
from aliquot.cel.strings import display
from aliquot.cel.values import (
    NO_SUCH_OVERLOAD,
    NONE,
    Duration,
    Err,
    GrowingMap,
    MapValue,
    Optional,
    Timestamp,
    Uint,
    Value,
    key_of,
)

INCLUDES_LIMIT: Final = 48
"""The longest list that 1.36's `includes` looks through: ResourceSliceMaxAttributeValuesPerDevice."""

_COMPARABLE: Final = frozenset({int, Uint, float, str, bytes, bool, Timestamp, Duration})


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


def is_sorted(items: Value) -> Value:
    """Whether no element is smaller than the one before it."""
    for index, item in enumerate(items):
        if type(item) not in _COMPARABLE:
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
        if type(item) not in _COMPARABLE:
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


def part(items: Value, start: int, end: int) -> Value:
    """`items.slice(start, end)`."""
    if start < 0 or end < 0:
        return Err(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        return Err(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(items) < end:
        return Err(f"cannot slice({start}, {end}), list is length {len(items)}")
    return list(items[start:end])


def flatten(items: Value, depth: Value = 1) -> Value:
    """Lists within the list dissolved, down to a depth."""
    if type(items) not in LISTS or type(depth) is not int:
        return Err(f"no such overload: {type_name(items)}.flatten()")
    if depth < 0:
        return Err("level must be non-negative")
    result: list[Value] = list(items)
    while depth and any(type(item) in LISTS for item in result):
        result = [inner for item in result for inner in (item if type(item) in LISTS else (item,))]
        depth -= 1
    return result


def sort(items: Value) -> Value:
    """In order."""
    return sort_by_keys(items, items)


def sort_by_keys(items: Value, keys: Value) -> Value:
    """In the order of keys, one for each element."""
    if type(items) not in LISTS:
        return Err("no such overload: sort")
    if len(items) != len(keys):
        return Err(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got "
            f"{len(items)} and {len(keys)} elements respectively"
        )
    if not items:
        return items
    if type(keys[0]) not in _COMPARABLE:
        return Err("list elements must be comparable")
    if len(keys) > 1 and any(type(key) is not type(keys[0]) for key in keys):
        return Err("list elements must have the same type")

    def order(left: int, right: int) -> int:
        sign = compare(keys[left], keys[right])
        return sign if type(sign) is int else 0

    return [items[index] for index in sorted(range(len(items)), key=cmp_to_key(order))]


MAX_RANGE: Final = 1_000_000
"""1.37's limit of `lists.range`."""


def range_fault(count: int) -> Err | None:
    """Why 1.37 refuses a range, if it does."""
    if count < 0:
        return Err(f"lists.range: size must be non-negative, got {count}")
    if count > MAX_RANGE:
        return Err(f"lists.range: size {count} exceeds maximum allowed ({MAX_RANGE})")
    return None


def whole_numbers(count: int) -> list[Value]:
    """`lists.range(count)`. The caller limits the count."""
    return list(range(count))


def reverse(items: Value) -> Value:
    """Back to front."""
    return list(reversed(items))


def distinct(items: Value) -> Value:
    """Each element once, where it first was."""
    result: list[Value] = []
    for item in items:
        if not any(equal(item, other) is True for other in result):
            result.append(item)
    return result


def first(items: Value) -> Value:
    """The first element, if there's one."""
    return Optional(items[0]) if items else NONE


def last(items: Value) -> Value:
    """The last element, if there's one."""
    return Optional(items[-1]) if items else NONE


def unwrap(items: Value) -> Value:
    """The values of those optionals that have one."""
    result: list[Value] = []
    for item in items:
        if type(item) is not Optional:
            return Err(f"value {display(item)} is not optional")
        if item is not NONE:
            result.append(item.value)
    return result


def set_contains(items: Value, wanted: Value) -> Value:
    """Whether a list has every element of another."""
    return all(contains(items, item) for item in wanted)


def set_equivalent(left: Value, right: Value) -> Value:
    """Whether two lists have the same elements, repetitions and order aside."""
    return set_contains(left, right) and set_contains(right, left)


def set_intersects(left: Value, right: Value) -> Value:
    """Whether two lists share an element."""
    return any(contains(right, item) for item in left)


def insert_entry(container: Value, key: Value, value: Value) -> Value:
    """A map with one more entry; a key that's there already is an error. A loop's own map grows in place.

    Raises:
        Panic: the key is of a kind that panics in Go's maps.
    """
    if find(container, key)[0]:
        return Err(f"insert failed: key {display(key)} already exists")
    if type(container) is not GrowingMap:
        container = MapValue({key_of(k): (k, v) for k, v in entries_of(container)})
    container.entries[key_of(key)] = (key, value)
    return container


def insert_all(container: Value, more: Value) -> Value:
    """A map with the entries of another."""
    for key, value in entries_of(more):
        container = insert_entry(container, key, value)
        if isinstance(container, Err):
            return container
    return container
