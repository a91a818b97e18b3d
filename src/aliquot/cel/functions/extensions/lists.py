"""cel-go's lists extension (version 3), sorting apart."""

from typing import Final

from aliquot.cel.operators.equality import equal
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.type_names import type_name
from aliquot.cel.values.value import Err, Value


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
