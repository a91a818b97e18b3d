"""Gathering maps: what the macros transformMap and transformMapEntry stand for."""

from aliquot.cel.values.go_text import display
from aliquot.cel.values.map_keys import find, key_of
from aliquot.cel.values.maps import GrowingMap, entries_of
from aliquot.cel.values.value import Err, Value


def insert_entry(container: Value, key: Value, value: Value) -> Value:
    """A map with one more entry; a key that's there already is an error. A loop's own map grows in place.

    Raises:
        Panic: the key is of a kind that panics in Go's maps.
    """
    if find(container, key)[0]:
        return Err(f"insert failed: key {display(key)} already exists")
    assert type(container) is GrowingMap  # only macros write such calls, and their loops start from `{}`
    container.entries[key_of(key)] = (key, value)
    return container


def insert_all(container: Value, more: Value) -> Value:
    """A map with the entries of another."""
    for key, value in entries_of(more):
        container = insert_entry(container, key, value)
        if isinstance(container, Err):
            return container
    return container
