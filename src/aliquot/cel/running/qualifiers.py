"""One field or index that is read from a value: cel-go's qualifiers."""

from collections.abc import Callable

from aliquot.cel.operators.indexing import MISSING, get, get_if_present, is_qualifier
from aliquot.cel.running.frame import Frame, Run
from aliquot.cel.values.type_names import go_type_name
from aliquot.cel.values.value import Err, Value

Qualify = Callable[[Frame, Value], Value]
"""Reads a field or index of a value; a MISSING result is an optional one that isn't there."""


class Qualifier:
    """One field or index to read."""

    __slots__ = ("key", "optional", "read", "read_optional", "test")

    def __init__(
        self, read: Qualify, read_optional: Qualify, *, optional: bool, key: str | None, test: bool = False
    ) -> None:
        self.read = read
        self.read_optional = read_optional
        self.optional = optional
        self.key = key
        """The name that is read, where it's a constant text."""
        self.test = test


def constant_qualifier(key: Value, *, optional: bool) -> Qualifier:
    """Read what a constant key names."""

    def read(frame: Frame, value: Value) -> Value:
        frame.cost += 1
        return get(value, key)

    def read_optional(frame: Frame, value: Value) -> Value:
        found = get_if_present(value, key)
        if found is not MISSING and type(found) is not Err:
            frame.cost += 1
        return found

    return Qualifier(read, read_optional, optional=optional, key=key if type(key) is str else None)


def test_qualifier(key: str) -> Qualifier:
    """Whether a field is there: the last step of `has()`."""

    def read(frame: Frame, value: Value) -> Value:
        frame.cost += 1
        found = get_if_present(value, key)
        return found if type(found) is Err else found is not MISSING

    def read_optional(frame: Frame, value: Value) -> Value:
        found = get_if_present(value, key)
        if found is MISSING or type(found) is Err:
            return found
        frame.cost += 1
        return True

    return Qualifier(read, read_optional, optional=False, key=key, test=True)


def computed_qualifier(index: Run, *, optional: bool) -> Qualifier:
    """Read what a computed index names."""

    def read(frame: Frame, value: Value) -> Value:
        key = index(frame)
        frame.cost += 1
        return key if type(key) is Err else get(value, key) if is_qualifier(key) else _bad_index(key)

    def read_optional(frame: Frame, value: Value) -> Value:
        key = index(frame)
        if type(key) is Err:
            return key
        found = get_if_present(value, key) if is_qualifier(key) else _bad_index(key)
        if found is not MISSING and type(found) is not Err:
            frame.cost += 1
        return found

    return Qualifier(read, read_optional, optional=optional, key=None)


def _bad_index(key: Value) -> Err:
    return Err(f"invalid qualifier type: {go_type_name(key)}")
