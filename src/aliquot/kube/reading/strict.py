"""Objects in which no unknown field may stand: a name that nobody reads is a mistake, not a note."""

import types
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from aliquot.kube.reading.shape import Fault, is_list, is_object, join


def unknown_fields(value: Any, shape: Any, path: str = "") -> Iterator[Fault]:
    """The fields of an object, and of the objects in it, that its shape doesn't have; with the name that was meant."""
    shape = _plain(shape)
    if get_origin(shape) is list and is_list(value):
        for index, each in enumerate(value):
            yield from unknown_fields(each, get_args(shape)[0], f"{path}[{index}]")
    known = _fields(shape)
    if known is None or not is_object(value):
        return
    for key, item in value.items():
        where = join(path, str(key))
        if key in known:
            yield from unknown_fields(item, known[key], where)
            continue
        meant = get_close_matches(str(key), known, n=1)
        yield Fault(where, "no such field", f"did you mean {meant[0]}?" if meant else f"known: {', '.join(known)}")


def without_unknown(value: Any, shape: Any) -> Any:
    """The same object without its unknown fields, so that the rest can be judged too."""
    shape = _plain(shape)
    if get_origin(shape) is list and is_list(value):
        return [without_unknown(each, get_args(shape)[0]) for each in value]
    known = _fields(shape)
    if known is None or not is_object(value):
        return value
    return {key: without_unknown(item, known[key]) for key, item in value.items() if key in known}


def _plain(shape: Any) -> Any:
    """A shape without its annotations and without None."""
    while True:
        if get_origin(shape) is Annotated:
            shape = shape.__origin__
        elif get_origin(shape) in (types.UnionType, Union):
            shape = next(arg for arg in get_args(shape) if arg is not types.NoneType)
        else:
            return shape


def _fields(shape: Any) -> dict[str, Any] | None:
    """The fields of a Struct by their names in JSON; None: it's no Struct."""
    if not (isinstance(shape, type) and issubclass(shape, msgspec.Struct)):
        return None
    return {field.encode_name: field.type for field in msgspec.structs.fields(shape)}
