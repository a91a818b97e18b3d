"""An inventory as JSON, both ways: for hosts that can't be looked at from here, and for keeping what was found.

Keys are the attributes' names in camel case. Defaults are left out; everything else that isn't known is a problem.
"""

import types
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from aliquot.cdi.generate.inventory import Inventory
from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError


def inventory_data(inventory: Inventory) -> dict[str, Any]:
    """The inventory as plain data."""
    plain: dict[str, Any] = _plain(inventory)
    return plain


def inventory_of(data: Any) -> Inventory:
    """The inventory that the data shows.

    Raises:
        SpecError: fields are missing, unknown or of the wrong type; all of them.
    """
    problems: list[Problem] = []
    found = _read(data, Inventory, "", problems)
    if problems:
        raise SpecError(problems)
    assert isinstance(found, Inventory)
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        kept = ((field, getattr(value, field.name)) for field in fields(value))
        return {_camel(field.name): _plain(item) for field, item in kept if item != _default(field)}
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("Iterable[Any]", value)]
    if isinstance(value, Mapping):
        members = cast("Mapping[str, Any]", value)
        return {key: _plain(members[key]) for key in sorted(members)}
    return value


def _default(field: "Field[Any]") -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _read(data: Any, due: Any, at: str, problems: list[Problem]) -> Any:
    """The value of type `due`; where it doesn't fit, a problem is noted and the result means nothing."""
    origin = get_origin(due)
    if is_dataclass(due):
        return _read_object(data, cast("type[Any]", due), at, problems)
    if origin in {Union, types.UnionType}:
        return None if data is None else _read(data, get_args(due)[0], at, problems)
    if origin is Literal:
        return _one_of(data, get_args(due), at, problems)
    if origin is tuple and is_list(data):
        return tuple(_read(item, get_args(due)[0], f"{at}[{i}]", problems) for i, item in enumerate(data))
    if origin is not None and origin is not tuple and is_object(data):
        return {key: _read(item, get_args(due)[1], f"{at}.{key}", problems) for key, item in data.items()}
    if origin is None and isinstance(data, due) and not (due is int and isinstance(data, bool)):
        return data
    names: dict[Any, str] = {str: "text", int: "a whole number", bool: "true or false", tuple: "a list"}
    problems.append(Problem("syntax", f"it isn't {names.get(origin or due, 'an object')}", at))
    return None


def _one_of(data: Any, allowed: tuple[Any, ...], at: str, problems: list[Problem]) -> Any:
    if data not in allowed:
        problems.append(Problem("syntax", f"{data!r} isn't one of {', '.join(allowed)}", at))
    return data


def _read_object(data: Any, due: type[Any], at: str, problems: list[Problem]) -> Any:
    if not is_object(data):
        problems.append(Problem("syntax", "it isn't an object", at))
        return None
    hints = get_type_hints(due)
    known = {_camel(field.name): field for field in fields(due)}
    before = len(problems)
    given: dict[str, Any] = {}
    for key, value in data.items():
        place = f"{at}.{key}".removeprefix(".")
        if key in known:
            given[known[key].name] = _read(value, hints[known[key].name], place, problems)
        else:
            problems.append(Problem("syntax", f"unknown field {key!r}", place, f"known here: {', '.join(known)}"))
    for name, field in known.items():
        if _default(field) is MISSING and field.name not in given:
            problems.append(Problem("syntax", "it's missing", f"{at}.{name}".removeprefix(".")))
    return due(**given) if len(problems) == before else None
