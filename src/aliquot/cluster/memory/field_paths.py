"""Which fields an object has, and which differ between two: the sets that managedFields speaks of (FieldsV1).

A path is a tuple of FieldsV1's own elements: `f:name` a field or a map's key, `k:{"type":"Ready"}` a list's item by its
keys, `v:"x"` a set's item. A set holds the leaves, and the items of keyed lists themselves; a list or map that is
atomic is a leaf.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import msgspec

Json = dict[str, Any]
Path = tuple[str, ...]
FieldSet = frozenset[Path]

NOBODYS: Final = frozenset(
    {("f:apiVersion",), ("f:kind",)}
    | {
        ("f:metadata", f"f:{name}")
        for name in ("name", "namespace", "creationTimestamp", "uid", "generation", "resourceVersion", "managedFields")
    }
)
"""Fields that identify the object or that the server sets: they have no manager."""


class Keyed(NamedTuple):
    """A list whose items are told apart by the values of some fields (listType=map)."""

    keys: tuple[str, ...]
    defaults: Mapping[str, Any] = {}
    """What a key is where an item leaves it out."""


Shape = Keyed | str
SET, ATOMIC = "set", "atomic"
Shapes = Mapping[str, Shape]
"""Path in dots, without items (`spec.containers.env`) -> what is no plain map and no atomic list there."""


class Difference(NamedTuple):
    """Between two states of an object."""

    changed: FieldSet
    """New, or with another value; of what is new also the maps and lists that hold it."""
    removed: FieldSet
    """Likewise."""


def fields_of(thing: Any, shapes: Shapes) -> FieldSet:
    """All of an object's fields."""
    return frozenset(_Walk(shapes).fields(thing, (), ""))


def difference(old: Any, new: Any, shapes: Shapes) -> Difference:
    """What changed from one to the other."""
    walk = _Walk(shapes)
    changed, removed = set[Path](), set[Path]()
    walk.compare(old, new, (), "", changed, removed)
    return Difference(frozenset(changed), frozenset(removed))


def keyed(items: list[Any], shape: Shape) -> dict[str, Any] | None:
    """A list's items by their path element; None: the list can't be told apart, so it counts as atomic."""
    found: dict[str, Any] = {}
    for item in items:
        if isinstance(shape, Keyed):
            if not isinstance(item, dict):
                return None
            key = {name: item.get(name, shape.defaults.get(name)) for name in sorted(shape.keys)}
            key = {name: value for name, value in key.items() if value is not None}
            if not key:
                return None
            element = "k:" + msgspec.json.encode(key).decode()
        else:
            element = "v:" + msgspec.json.encode(item).decode()
        if element in found:
            return None
        found[element] = item
    return found


def parts(value: Any, dotted: str, shapes: Shapes) -> dict[str, tuple[Any, str]] | None:
    """What a value is made of: path element -> (value, its dotted path); None: it's a leaf."""
    shape = shapes.get(dotted)
    if isinstance(value, dict) and shape != ATOMIC:
        below = f"{dotted}." if dotted else ""
        return {f"f:{name}": (each, below + name) for name, each in value.items()}
    if isinstance(value, list) and shape is not None and shape != ATOMIC:
        items = keyed(value, shape)
        return None if items is None else {element: (each, dotted) for element, each in items.items()}
    return None


@dataclass(frozen=True, slots=True)
class _Walk:
    shapes: Shapes

    def fields(self, value: Any, path: Path, dotted: str, *, holders: bool = False) -> Iterator[Path]:
        """Leaves and items; with `holders` also the maps and lists that hold them."""
        found = parts(value, dotted, self.shapes) or {}
        if path and (holders or not found or path[-1].startswith("k:")):
            yield path
        for element, (each, below) in found.items():
            yield from self.fields(each, (*path, element), below, holders=holders)

    def compare(self, old: Any, new: Any, path: Path, dotted: str, changed: set[Path], removed: set[Path]) -> None:
        if old == new and type(old) is type(new):
            return
        before, after = parts(old, dotted, self.shapes), parts(new, dotted, self.shapes)
        if not before or not after:  # a leaf on one side at least; an empty map or list is one too
            was = set(self.fields(old, path, dotted, holders=True))
            now = set(self.fields(new, path, dotted, holders=True))
            if before is not None and after is not None:
                was.discard(path)  # it was there, and is: what is new or gone is what it holds
                now.discard(path)
            changed |= now
            removed |= was - now
            return
        for element, (each, below) in after.items():
            if element in before:
                self.compare(before[element][0], each, (*path, element), below, changed, removed)
            else:
                changed.update(self.fields(each, (*path, element), below, holders=True))
        for element, (each, below) in before.items():
            if element not in after:
                removed.update(self.fields(each, (*path, element), below, holders=True))


def to_v1(fields: FieldSet) -> Json:
    """As managedFields writes a set."""
    tree: Json = {}
    for path in sorted(fields):
        here = tree
        for element in path:
            here = here.setdefault(element, {})
        here["."] = {}
    return _without_needless_dots(tree)


def _without_needless_dots(tree: Json) -> Json:
    """A leaf says by itself that it's meant."""
    return {
        name: {} if name == "." or set(below) == {"."} else _without_needless_dots(below)
        for name, below in tree.items()
    }


def from_v1(tree: Json, path: Path = ()) -> Iterator[Path]:
    """A set that managedFields wrote."""
    for name, below in tree.items():
        if name == ".":
            yield path
        elif below:
            yield from from_v1(below, (*path, name))
        else:
            yield (*path, name)
