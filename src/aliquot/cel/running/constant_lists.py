"""`x in [constants]`, by hashing."""

from typing import Final

from aliquot.cel.running.compiled import Compiled, constant
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.values.map_keys import key_of
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, UINT_MAX, Uint
from aliquot.cel.values.value import Err, Value

_PRIMITIVE: Final = frozenset({bool, int, Uint, float, str})


def membership(wanted: Run, items: Value) -> Compiled | None:
    """`x in [constants]` by hashing, for lists of plain values; free of cost, as in cel-go."""
    if not items:
        return constant(value=False)
    if any(type(item) not in _PRIMITIVE for item in items):
        return None
    known = {key for item in items for key in _equal_keys(item)}

    def run(frame: Frame) -> Value:
        value = wanted(frame)
        return value if type(value) is Err else key_of(value) in known

    return Compiled(run)


def _equal_keys(item: Value) -> list[Value]:
    """The keys under which a value is found that equals a constant: numbers also as other types of numbers."""
    keys = [key_of(item)]
    kind: type[object] = item.__class__
    if kind is float and item == item and item not in {float("inf"), float("-inf")} and item == int(item):  # noqa: PLR0124
        if INT_MIN < item < float(INT_MAX):
            keys.append(int(item))
        if 0 <= item < float(UINT_MAX):
            keys.append(Uint(int(item)))
    elif kind is int:
        keys.append(key_of(float(item)))
        if item >= 0:
            keys.append(Uint(item))
    elif kind is Uint:
        keys.append(key_of(float(item.value)))
        if item.value <= INT_MAX:
            keys.append(item.value)
    return keys
