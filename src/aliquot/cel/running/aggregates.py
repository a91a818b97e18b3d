"""Lists and maps that an expression makes."""

from aliquot.cel.cost.actual_sizes import LIST_COST, MAP_COST
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.values.go_text import display
from aliquot.cel.values.map_keys import key_of
from aliquot.cel.values.maps import MapValue
from aliquot.cel.values.optional import NONE, Optional
from aliquot.cel.values.value import Err, Value


def list_maker(items: list[Run], optional: frozenset[int]) -> Run:
    """`[a, ?b]`; `optional` holds the indices of elements marked with `?`."""

    def run(frame: Frame) -> Value:
        made = build(frame)
        frame.cost += LIST_COST  # not where an item panics
        return made

    def build(frame: Frame) -> Value:
        values: list[Value] = []
        for index, item in enumerate(items):
            value = item(frame)
            if type(value) is Err:
                return value
            if index in optional:
                if type(value) is not Optional:
                    return Err(f"cannot initialize optional list element from non-optional value {display(value)}")
                if value is NONE:
                    continue
                value = value.value
            values.append(value)
        return values

    return run


def map_maker(entries: list[tuple[Run, Run, bool]]) -> Run:
    """`{k: v, ?k: v}`, as (key, value, whether it's marked with `?`)."""

    def run(frame: Frame) -> Value:
        made = build(frame)
        frame.cost += MAP_COST  # not where a key panics
        return made

    def build(frame: Frame) -> Value:
        made: dict[Value, tuple[Value, Value]] = {}
        for key_run, value_run, optional in entries:
            key = key_run(frame)
            if type(key) is Err:
                return key
            value = value_run(frame)
            if type(value) is Err:
                return value
            if optional:
                if type(value) is not Optional:
                    return Err(
                        f"cannot initialize optional entry '{display(key)}' from non-optional value {display(value)}"
                    )
                if value is NONE:
                    made.pop(key_of(key), None)
                    continue
                value = value.value
            made[key_of(key)] = (key, value)
        return MapValue(made)

    return run
