"""Run-time values that Python has no type for. The others stand for themselves.

CEL's int is Python's int, double is float, string is str, bytes is bytes, bool is bool, null is None, a list is a list
or tuple, a map is `MapValue` (or a dict of strings: a device's attributes). An error is a value too: `Err`.
"""

from dataclasses import dataclass
from typing import Any, Final, final

from aliquot.units.quantity import Quantity
from aliquot.units.semver import Semver

Value = Any
"""A run-time value: one of the types of this module, or a Python type that stands for itself."""

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1


@final
class Err:
    """A failed computation; it travels like a value until `||`, `&&` or a macro absorbs it."""

    __slots__ = ("message",)

    def __init__(self, message: str) -> None:
        self.message = message


NO_SUCH_OVERLOAD: Final = Err("no such overload")


class Panic(Exception):  # noqa: N818  Go's word: it unwinds everything, nothing absorbs it
    """What is a recovered panic in Go: it ends the evaluation, whatever surrounds it."""


@dataclass(frozen=True, slots=True)
class Uint:
    """An unsigned 64-bit integer, never equal to an int as a key of a map."""

    value: int


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time in nanoseconds, within 64 bits."""

    nanos: int


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment: nanoseconds since 1970 UTC, and the offset (in seconds) with which it was written."""

    nanos: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: what `type(x)` gives."""

    name: str


class Optional:
    """A value that may be absent; `NONE` is the absent one."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


NONE: Final = Optional(None)
"""The absent value; an optional that holds null is another."""


class Sum:
    """A quantity that was computed. Go holds it by pointer, which its `==` doesn't recognise on the right side."""

    __slots__ = ("quantity",)

    def __init__(self, quantity: Quantity) -> None:
        self.quantity = quantity


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
        or kind is Sum
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


class MapValue:
    """A map made by an expression."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Value, tuple[Value, Value]] | None = None) -> None:
        self.entries: dict[Value, tuple[Value, Value]] = {} if entries is None else entries
        """From `key_of(key)` to the key and its value, in order of insertion."""

    def __len__(self) -> int:
        return len(self.entries)


class Joined(list[Value]):
    """A list made by joining two: unlike Go's plain list, its `==` reports an error of its elements."""

    __slots__ = ()


class GrowingMap(MapValue):
    """The map that a loop gathers: it grows in place, and the loop's result is a plain copy."""

    __slots__ = ()


class TooCostly(Exception):  # noqa: N818  a way out of the evaluation, caught by the program
    """The run-time cost passed the limit; nothing absorbs it."""

    def __init__(self, cost: int = 0) -> None:
        super().__init__(cost)
        self.cost = cost
        """The cost at which evaluation stopped; 0 where a text would have grown too long."""


TEXT_LIMIT: Final = 2**26
"""Characters. A longer text isn't made: Go would run out of memory before its cost limit noticed."""
