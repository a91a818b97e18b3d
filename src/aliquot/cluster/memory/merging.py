"""Server-side apply's two halves: what is wanted merged into what is there, and what is wanted no longer taken out."""

import json
from collections.abc import Iterable
from typing import Any

from aliquot.cluster.memory.field_paths import FieldSet, Path, Shapes, parts


def merged(live: Any, wanted: Any, shapes: Shapes, dotted: str = "") -> Any:
    """`live` with all that `wanted` says; lists by key keep live's order, new items come last."""
    there, told = parts(live, dotted, shapes), parts(wanted, dotted, shapes)
    if there is None or told is None:
        return wanted
    both = {
        element: merged(value, told[element][0], shapes, below) if element in told else value
        for element, (value, below) in there.items()
    }
    both.update({element: value for element, (value, _) in told.items() if element not in there})
    if isinstance(live, dict):
        return {element.removeprefix("f:"): value for element, value in both.items()}
    return list(both.values())


def pruned(thing: Any, gone: Iterable[Path], kept: FieldSet, shapes: Shapes) -> Any:
    """`thing` without the fields of `gone`; those of `kept`, and whatever they lie in, stay."""
    needed = {path[:length] for path in kept for length in range(1, len(path) + 1)}
    for path in sorted(gone, key=len):  # an item goes as a whole before its fields are looked for
        if path not in needed and not _is_key(path):
            thing = _without(thing, path, shapes, "", needed, ())
    return thing


def _is_key(path: Path) -> bool:
    """A field by which its item is told apart stays as long as the item."""
    return len(path) > 1 and path[-2].startswith("k:") and path[-1].removeprefix("f:") in json.loads(path[-2][2:])


def _without(value: Any, path: Path, shapes: Shapes, dotted: str, needed: set[Path], above: Path) -> Any:
    """A map or list that is empty without the field goes as well, where nobody owns it."""
    found = parts(value, dotted, shapes)
    if found is None or path[0] not in found:
        return value
    element = path[0]
    here = (*above, element)
    rest = {each: inner for each, (inner, _) in found.items()}
    if len(path) == 1:
        del rest[element]
    else:
        inner, below = found[element]
        left = _without(inner, path[1:], shapes, below, needed, here)
        if left in ({}, []) and inner not in ({}, []) and here not in needed and len(here) > 1:
            del rest[element]
        else:
            rest[element] = left
    if isinstance(value, dict):
        return {each.removeprefix("f:"): inner for each, inner in rest.items()}
    return list(rest.values())
