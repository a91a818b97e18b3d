"""TOML: read with the types that a runtime wants, and changed without losing a comment."""

import tomllib
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Literal, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem, SpecError

Kind = Literal["string", "integer", "boolean", "table", "list of strings"]


def parsed(text: str, file: str) -> dict[str, Any]:
    """The document.

    Raises:
        SpecError: it isn't TOML.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError([Problem("syntax", f"it isn't TOML: {error}", file=file)]) from None


def kind_of(value: object) -> str:
    """What a value is, in TOML's words."""
    if isinstance(value, bool):
        return "boolean"
    if is_object(value):
        return "table"
    if is_list(value):
        return "list of strings" if all(isinstance(one, str) for one in value) else "list"
    names = ((int, "integer"), (float, "float"), (str, "string"))
    return next((name for python, name in names if isinstance(value, python)), "date or time")


def wrong_types(table: Mapping[str, Any], kinds: Mapping[str, Kind], where: str, file: str) -> list[Problem]:
    """Each member that isn't of the type that a program reads it as: Go's decoders refuse the whole file for it."""
    found: list[Problem] = []
    for key, kind in kinds.items():
        if key not in table or kind_of(table[key]) == kind:
            continue
        value = table[key]
        shown = f"{value!r}" if isinstance(value, str | int) else "it"
        hint = (
            "take the quotes away" if isinstance(value, str) and kind in {"boolean", "integer"} else f"make it a {kind}"
        )
        path = f"{where}.{key}" if where else key
        found.append(Problem("syntax", f"{shown} is a {kind_of(value)}, where a {kind} belongs", path, hint, file))
    return found


def member(data: Any, *keys: str) -> Any:
    """What stands at a path of keys; None where there's nothing."""
    for key in keys:
        data = data.get(key) if is_object(data) else None
    return data


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key stands: the table's path, the key as it's written, and the known key that is meant."""

    table: tuple[str, ...]
    written: str
    meant: str

    @property
    def right(self) -> bool:
        """Whether it's written as the runtime wants it."""
        return self.written == self.meant

    def __str__(self) -> str:
        """The table for people."""
        return f"[{dotted(*self.table)}]" if self.table else "the top"


def places_of(data: Mapping[str, Any], keys: Collection[str], at: tuple[str, ...] = ()) -> Iterator[Place]:
    """Everywhere one of these keys stands in a document, also written with other signs: cdi-spec-dirs, cdiSpecDirs."""
    for written, value in data.items():
        meant = next((key for key in keys if _letters(key) == _letters(written)), None)
        if meant is not None and not is_object(value):
            yield Place(at, written, meant)
        for inner in value if is_list(value) else (value,):
            if is_object(inner):
                yield from places_of(inner, keys, (*at, written))


def _letters(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


def dotted(*keys: str) -> str:
    """A table's name as it's written in a file: [plugins."io.containerd.grpc.v1.cri"]."""
    return ".".join(key if key.replace("_", "").replace("-", "").isalnum() else f'"{key}"' for key in keys)


def with_value(text: str, tables: tuple[str, ...], key: str, value: object) -> str:
    """The text with a key set in a table, which is made where it's missing.

    Raises:
        SpecError: it can't be parsed, or something else stands where the table belongs.
    """
    document = _document(text)
    at: MutableMapping[str, Any] = document
    for depth, name in enumerate(tables):
        if name not in at:
            at[name] = tomlkit.table(is_super_table=depth < len(tables) - 1)
        below = at[name]
        if not isinstance(below, MutableMapping):
            raise SpecError([Problem("syntax", "it isn't a table", dotted(*tables[: depth + 1]))])
        at = cast("MutableMapping[str, Any]", below)
    at[key] = value
    return tomlkit.dumps(document)


def without_items(text: str, key: str, unwanted: frozenset[str]) -> str:
    """The text without some items of a list at its top; the other items and the comments stay."""
    document = _document(text)
    items: object = document.unwrap().get(key) and document[key]
    if not is_list(items):
        return text
    unwanted_here = [number for number, item in enumerate(items) if str(item) in unwanted]
    for number in reversed(unwanted_here):
        del items[number]
    return tomlkit.dumps(document) if unwanted_here else text


def _document(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise SpecError([Problem("syntax", f"it isn't TOML: {error}")]) from None
