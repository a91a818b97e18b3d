"""The keys of maps: which are the same, and looking them up."""

from typing import Final

from aliquot.cel.values.lists import Joined
from aliquot.cel.values.maps import GrowingMap, MapValue
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, NUMBERS, UINT_MAX, Uint
from aliquot.cel.values.optional import Optional
from aliquot.cel.values.quantities import ComputedQuantity
from aliquot.cel.values.stops import Panic
from aliquot.cel.values.value import Value
from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver


class _Key:
    """A map's key that Python would confuse with another: True with 1, 1.0 with 1."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((self.value.__class__.__name__, self.value))


_UNHASHABLE: Final[dict[type[object], str]] = {
    bytes: "types.Bytes",
    Semver: "cel.Semver",
}


def key_of(value: Value) -> Value:
    """The key under which a value is stored, so that `1`, `1u`, `1.0` and `true` stay apart.

    Raises:
        Panic: the value can't be a key, where Go panics.
    """
    kind: type[object] = value.__class__
    if kind is str or kind is int or kind is Uint:
        return value
    if (
        kind is list
        or kind is tuple
        or kind is Joined
        or kind is MapValue
        or kind is dict
        or kind is Optional
        or kind is ComputedQuantity
        or kind is Quantity
        or getattr(kind, "pointer_in_go", False)
    ):
        return id(value), kind  # Go compares pointers
    name = getattr(kind, "unhashable_in_go", None) or _UNHASHABLE.get(kind)
    if name is not None:
        raise Panic(f"runtime error: hash of unhashable type {name}")
    if kind is float and value != value:  # noqa: PLR0124  a NaN is equal to nothing
        return object()
    return _Key(value)


def find(container: Value, key: Value) -> tuple[bool, Value]:
    """Look a key up in a map: whether it's there, and its value. Numbers find keys equal to them by value.

    Raises:
        Panic: the key is of a kind that panics in Go's maps.
    """
    if type(container) is not MapValue and type(container) is not GrowingMap:
        if type(key) is str and key in container:
            return True, container[key]
        default = getattr(container, "default", None)
        return default is not None, default
    entries = container.entries
    if not entries:
        return False, None
    entry = entries.get(key_of(key))
    if entry is None and type(key) in NUMBERS:
        entry = _find_number(entries, key)
    return (False, None) if entry is None else (True, entry[1])


def _find_number(entries: dict[Value, tuple[Value, Value]], key: Value) -> tuple[Value, Value] | None:
    if type(key) is int:
        return entries.get(Uint(key)) if key >= 0 else None
    if type(key) is Uint:
        return entries.get(key.value) if key.value <= INT_MAX else None
    number: float = key
    if number != number or number in {float("inf"), float("-inf")} or number != int(number):  # noqa: PLR0124
        return None
    whole = int(number)
    entry = entries.get(whole) if INT_MIN < whole <= INT_MAX else None
    return entry if entry is not None else entries.get(Uint(whole)) if 0 <= whole <= UINT_MAX else None
