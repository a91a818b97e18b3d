"""Maps, as expressions make them."""

from aliquot.cel.values.value import Value


class MapValue:
    """A map made by an expression."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[Value, tuple[Value, Value]] | None = None) -> None:
        self.entries: dict[Value, tuple[Value, Value]] = {} if entries is None else entries
        """From `key_of(key)` to the key and its value, in order of insertion."""

    def __len__(self) -> int:
        return len(self.entries)


class GrowingMap(MapValue):
    """The map that a loop gathers: it grows in place, and the loop's result is a plain copy."""

    __slots__ = ()


def is_map(value: Value) -> bool:
    """Whether the value is a map, an attribute map of a device included."""
    return isinstance(value, dict | MapValue)


def size_of(container: Value) -> int:
    """The number of entries of a map."""
    return len(container)


def entries_of(container: Value) -> list[tuple[Value, Value]]:
    """Key and value of each entry of a map, in its order."""
    if isinstance(container, MapValue):
        return list(container.entries.values())
    return list(container.items())
