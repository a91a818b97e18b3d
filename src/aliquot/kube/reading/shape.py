"""Which shape an object must have, and every place where one hasn't it.

The shapes are msgspec Structs. Objects of the right shape are decoded by msgspec, which stops at the first fault; an
object with a fault is walked here along the same Structs, so that all its faults are told at once, each with its path.
"""

import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, TypeGuard, Union, get_args, get_origin, get_type_hints

import msgspec

from aliquot.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class Fault:
    """A place in an object that can't be read. `path` is relative to the object: `spec.containers[0].name`."""

    path: str
    message: str
    hint: str = ""
    minor: bool = False
    """No decision reads the place: the object is usable without it."""
    lost: str = ""
    """The kind of the object, where it can't be read for this."""

    def under(self, prefix: str) -> "Fault":
        """The same fault, seen from an object that holds this one at `prefix`."""
        return replace(self, path=join(prefix, self.path))


class FaultsError(ValueError):
    """An object whose values can't be right, though each has the right type; holds all its faults."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(f"{fault.path}: {fault.message}" for fault in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Holds:
    """Annotates raw bytes (or an object of them): the shape of what they hold, which is decoded later."""

    shape: Any


@dataclass(frozen=True, slots=True)
class IsQuantity:
    """Annotates raw bytes that hold a quantity, as a string or as a number."""


@dataclass(frozen=True, slots=True)
class Minor:
    """Annotates a field that no decision reads: a fault in it is told, and the object is kept without the field."""


ABSENT = msgspec.Raw(b"")
"""A raw field that wasn't given."""

Amount = Annotated[msgspec.Raw, IsQuantity()]
Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether it's a JSON array."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether it's a JSON object."""
    return isinstance(value, dict)


def join(prefix: str, path: str) -> str:
    """`prefix` and `path` as one path."""
    if not prefix or not path:
        return prefix or path
    return f"{prefix}{path}" if path.startswith("[") else f"{prefix}.{path}"


def found(value: object) -> str:
    """What was found, in a person's words: values as JSON writes them, containers by their kind."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{_readable(value)}"' if len(value) <= 60 else f'"{_readable(value[:57])}..."'
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            text = str(value)
            return text if len(text) <= 60 else f"{text[:57]}..."


@lru_cache(maxsize=256)
def _fields(shape: type[msgspec.Struct]) -> tuple[tuple[str, Any, bool], ...]:
    """(name in JSON, type, required) of each field."""
    hints = get_type_hints(shape, include_extras=True)
    return tuple((field.encode_name, hints[field.name], field.required) for field in msgspec.structs.fields(shape))


def faults(value: Any, shape: Any, path: str = "") -> Iterator[Fault]:
    """Every fault of `value`, a plain object as json.loads gives it (numbers with a point as Decimal).

    FaultsError minor fields are taken out of `value`, so that the rest can be decoded.
    """
    marks: tuple[Any, ...] = ()
    while get_origin(shape) is Annotated:
        marks = (*marks, *shape.__metadata__)
        shape = shape.__origin__
    held = [mark.shape for mark in marks if isinstance(mark, Holds)]
    if held and value is not None:
        yield from faults(value, held[0], path)
    if any(isinstance(mark, IsQuantity) for mark in marks):
        yield from _quantity(value, path)
    if held or shape is msgspec.Raw:
        return
    origin = get_origin(shape)
    if origin in (types.UnionType, Union):
        if value is not None:
            yield from faults(value, next(arg for arg in get_args(shape) if arg is not types.NoneType), path)
    elif origin is list:
        yield from _list(value, get_args(shape)[0], path)
    elif origin is dict:
        yield from _dict(value, get_args(shape)[1], path)
    elif isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        yield from _struct(value, shape, path)
    elif shape is not Any:
        yield from _scalar(value, shape, marks, path)


def _list(value: Any, inner: Any, path: str) -> Iterator[Fault]:
    if not is_list(value):
        yield Fault(path, f"expected a list, found {found(value)}")
        return
    for index, item in enumerate(value):
        yield from faults(item, inner, f"{path}[{index}]")


def _dict(value: Any, inner: Any, path: str) -> Iterator[Fault]:
    if not is_object(value):
        yield Fault(path, f"expected an object, found {found(value)}")
        return
    for key, item in value.items():
        where = join(path, _readable(key))
        if not _is_utf8(key):
            yield Fault(where, _NOT_UTF8)
        yield from faults(item, inner, where)


def _struct(value: Any, shape: type[msgspec.Struct], path: str) -> Iterator[Fault]:
    if not is_object(value):
        yield Fault(path, f"expected an object, found {found(value)}")
        return
    for name, kind, required in _fields(shape):
        where = join(path, name)
        if name not in value:
            if required:
                yield Fault(where, "missing")
            continue
        if get_origin(kind) is Annotated and any(isinstance(mark, Minor) for mark in kind.__metadata__):
            here = [replace(fault, minor=True) for fault in faults(value[name], kind, where)]
            yield from here
            if here:
                del value[name]
        else:
            yield from faults(value[name], kind, where)


_NOT_UTF8 = "text that isn't UTF-8"


def _is_utf8(text: str) -> bool:
    """False where bytes that aren't UTF-8 were decoded to surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _readable(text: str) -> str:
    return text.encode(errors="replace").decode()


_WORDS = {str: "a string", int: "an integer", bool: "true or false"}


def _scalar(value: Any, shape: Any, marks: tuple[Any, ...], path: str) -> Iterator[Fault]:
    if type(value) is not shape:
        hint = ""
        if shape is str and isinstance(value, (bool, int, Decimal)):
            hint = "put it in quotes"
        elif shape in {int, bool} and isinstance(value, str):
            hint = "take the quotes away" if value.isdecimal() or value in {"true", "false"} else ""
        yield Fault(path, f"expected {_WORDS[shape]}, found {found(value)}", hint)
        return
    if shape is str and not _is_utf8(value):
        yield Fault(path, _NOT_UTF8)
    for mark in marks:
        if isinstance(mark, msgspec.Meta) and not (int(mark.ge or 0) <= value <= int(mark.le or 0)):
            yield Fault(path, f"expected an integer from {mark.ge} to {mark.le}, found {found(value)}")


def _quantity(value: Any, path: str) -> Iterator[Fault]:
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        if value is not None:
            yield Fault(path, f"expected a quantity, found {found(value)}")
        return
    try:
        Quantity.parse(str(value))
    except ValueError:
        yield Fault(path, f"expected a quantity, found {found(value)}", "quantities look like 2, 500m, 1.5 or 16Gi")
