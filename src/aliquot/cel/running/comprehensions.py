"""Loops: the macros all, exists, exists_one and map in the form in which they run fastest, and the general fold.

The costs charged are those of the calls that the macro stands for, iteration by iteration.
"""

from collections.abc import Callable, Iterable

from aliquot.cel.cost.actual_sizes import LIST_COST
from aliquot.cel.running.frame import UNSET, Frame, Run
from aliquot.cel.values.lists import LISTS
from aliquot.cel.values.maps import GrowingMap, MapValue, entries_of, is_map
from aliquot.cel.values.stops import TooCostly
from aliquot.cel.values.type_names import go_type_name
from aliquot.cel.values.value import NO_SUCH_OVERLOAD, Err, Value

Body = Callable[[Frame, Value], Value]
"""A part of a loop, as a function of the frame and the item."""


def iterated(over: Value, *, pairs: bool) -> Iterable[Value] | Err:
    """What a loop goes through: elements or keys; with `pairs`, (index, element) or (key, value)."""
    if type(over) in LISTS:
        items: list[Value] = over
        return enumerate(items) if pairs else items
    if is_map(over):
        return entries_of(over) if pairs else [key for key, _ in entries_of(over)]
    if type(over) is Err:
        return over
    name = go_type_name(over)
    if pairs:
        return Err(f"unsupported comprehension range type: {name}")
    return Err(f"got '{name}', expected iterable type")


def body_of(run: Run, first: int, second: int, *, pairs: bool) -> Body:
    """The body of a loop as a function of the frame and the item, which it puts into the variables' places."""
    if pairs:

        def run_pair(frame: Frame, item: Value) -> Value:
            frame.locals[first], frame.locals[second] = item
            return run(frame)

        return run_pair

    def run_single(frame: Frame, item: Value) -> Value:
        frame.locals[first] = item
        return run(frame)

    return run_single


def all_of(over: Run, test: Body, *, pairs: bool) -> Run:
    """`range.all(x, test)`: false as soon as one is false; errors count only if none is."""

    def run(frame: Frame) -> Value:
        items = iterated(over(frame), pairs=pairs)
        if type(items) is Err:
            return items
        answer: Value = True
        limit = frame.limit
        for item in items:
            if answer is False:
                frame.cost += 2
                break
            frame.cost += 3
            passed = test(frame, item)
            if passed is False:
                answer = False
            elif passed is not True and answer is True:
                answer = passed if type(passed) is Err else NO_SUCH_OVERLOAD
            if frame.cost > limit:
                raise TooCostly(limit + 1)
        frame.cost += 1
        return answer

    return run


def exists(over: Run, test: Body, *, pairs: bool) -> Run:
    """`range.exists(x, test)`: true as soon as one is true; errors count only if none is."""

    def run(frame: Frame) -> Value:
        items = iterated(over(frame), pairs=pairs)
        if type(items) is Err:
            return items
        answer: Value = False
        limit = frame.limit
        for item in items:
            if answer is True:
                frame.cost += 3
                break
            frame.cost += 4
            passed = test(frame, item)
            if passed is True:
                answer = True
            elif passed is not False and answer is False:
                answer = passed if type(passed) is Err else NO_SUCH_OVERLOAD
            if frame.cost > limit:
                raise TooCostly(limit + 1)
        frame.cost += 1
        return answer

    return run


def exists_one(over: Run, test: Body, *, pairs: bool) -> Run:
    """`range.exists_one(x, test)`: whether exactly one is true; errors count always."""

    def run(frame: Frame) -> Value:
        items = iterated(over(frame), pairs=pairs)
        if type(items) is Err:
            return items
        count: Value = 0
        limit = frame.limit
        for item in items:
            passed = test(frame, item)
            if passed is True:
                frame.cost += 2
                if type(count) is int:
                    count += 1
            elif passed is not False:
                count = passed if type(passed) is Err else NO_SUCH_OVERLOAD
            if frame.cost > limit:
                raise TooCostly(limit + 1)
        frame.cost += 2
        return count if type(count) is Err else count == 1

    return run


def mapped(over: Run, test: Body | None, item_of: Body, *, pairs: bool, constant_item: bool) -> Run:
    """`range.map(x, test, item)`, and filter: the list of the items of those that pass."""
    step_cost = 2 if constant_item else 2 + LIST_COST

    def run(frame: Frame) -> Value:
        items = iterated(over(frame), pairs=pairs)
        if type(items) is Err:
            return items
        failed: Err | None = None
        result: list[Value] = []
        limit = frame.limit
        for item in items:
            passed = True if test is None else test(frame, item)
            if passed is True:
                frame.cost += step_cost
                value = item_of(frame, item)
                if failed is None:
                    if type(value) is Err:
                        failed = value
                    else:
                        result.append(value)
            elif passed is not False:
                failed = passed if type(passed) is Err else NO_SUCH_OVERLOAD
            if frame.cost > limit:
                raise TooCostly(limit + 1)
        frame.cost += 1
        return result if failed is None else failed

    return run


def fold(over: Run, place: int, step: Body, result: Run, *, pairs: bool) -> Run:
    """Any other loop; it runs to the end, whatever happens."""

    def run(frame: Frame) -> Value:
        items = iterated(over(frame), pairs=pairs)
        if type(items) is Err:
            return items
        places = frame.locals
        places[place] = UNSET
        limit = frame.limit
        for item in items:
            places[place] = step(frame, item)
            if frame.cost > limit:
                raise TooCostly(limit + 1)
        return _plain(result(frame))

    return run


def bound(place: int, body: Run) -> Run:
    """`cel.bind(x, value, body)`; the value is computed when first looked at."""

    def run(frame: Frame) -> Value:
        frame.locals[place] = UNSET
        return body(frame)

    return run


def accumulator(place: int, start: Run) -> Run:
    """Reads an accumulator; its start is computed when it's first looked at."""

    def read(frame: Frame) -> Value:
        value = frame.locals[place]
        if value is UNSET:
            value = frame.locals[place] = _started(start(frame))
        return value

    return read


def _started(value: Value) -> Value:
    """An accumulator's start; an empty map becomes one that grows in place."""
    if is_map(value) and not value:
        return GrowingMap()
    return value


def _plain(value: Value) -> Value:
    """A loop's result, no longer growing."""
    return MapValue(value.entries) if type(value) is GrowingMap else value
