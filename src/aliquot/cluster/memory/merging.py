"""Server-side apply's two halves: what is wanted merged into what is there, and what is wanted no longer taken out."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from aliquot.cluster.memory.field_paths import FieldSet, Path, Shapes, parts

OPAQUE = frozenset({"parameters", "data"})
"""Fields whose content the API's types don't know: drivers' configurations and what they say of devices."""


def merged(live: Any, wanted: Any, shapes: Shapes, dotted: str = "") -> Any:
    """`live` with all that `wanted` says."""
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
    return [both[element] for element in _order(list(there), list(told))]


def _order(live: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """The wanted items in their order; each other one after those that it came after, as far as that goes."""
    there, told = set(live), set(wanted)
    order: list[str] = []
    shared = [element for element in wanted if element in there]
    at = 0
    for element in live:
        if element not in told:
            order.append(element)
        elif shared and element == shared[0]:
            end = wanted.index(element) + 1
            order += wanted[at:end]
            at = end
            shared.pop(0)
    return [*order, *wanted[at:]]


def pruned(thing: Any, gone: Iterable[Path], kept: FieldSet, shapes: Shapes) -> Any:
    """`thing` without the fields of `gone`; those of `kept`, and whatever they lie in, stay."""
    needed = {
        path[:length]
        for path in kept
        for length in range(1, len(path) + 1)
        if length == len(path) or path[length - 1].startswith("f:")  # who owns a field of an item doesn't own the item
    }
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


def trimmed(value: Any) -> Any:
    """As the API's types write it: an empty list is left out."""
    if isinstance(value, dict):
        return {
            name: each if name in OPAQUE else trimmed(each)
            for name, each in value.items()
            if each != [] or name in OPAQUE
        }
    if isinstance(value, list):
        return [trimmed(each) for each in value]
    return value
