"""JSON merge patches (RFC 7386) and JSON patches (RFC 6902)."""

from collections.abc import Sequence
from typing import Any

from aliquot.cluster.objects.status import StatusError

Json = dict[str, Any]


def merge_patched(thing: Any, patch: Any) -> Any:
    """`thing` after a merge patch: null removes, maps are merged, all else replaces."""
    if not isinstance(patch, dict):
        return patch
    new = dict(thing) if isinstance(thing, dict) else {}
    for name, value in patch.items():
        if value is None:
            new.pop(name, None)
        else:
            new[name] = merge_patched(new.get(name), value)
    return new


def json_patched(thing: Any, patch: Sequence[Json]) -> Any:
    """`thing` after all operations of a JSON patch.

    Raises:
        StatusError: 400: it's no JSON patch; 422: a test fails, or a path isn't there.
    """
    for number, operation in enumerate(patch):
        try:
            thing = _Operation(number, operation).on(thing)
        except (KeyError, TypeError, AttributeError) as error:
            raise StatusError(400, f"operation {number} of the JSON patch is none: {error}") from error
    return thing


class _Operation:
    def __init__(self, number: int, operation: Json) -> None:
        self._number = number
        self._it = operation

    def on(self, thing: Any) -> Any:
        kind, path = self._it["op"], _pointer(self._it["path"])
        if kind == "test":
            if self._at(thing, path) != self._it.get("value"):
                raise self._failed("the value is another")
            return thing
        if kind == "remove":
            return self._changed(thing, path, remove=True)
        if kind == "replace":
            self._at(thing, path)
            return self._changed(thing, path, self._it["value"], replace=True)
        if kind == "add":
            return self._changed(thing, path, self._it["value"])
        if kind in {"move", "copy"}:
            source = _pointer(self._it["from"])
            value = self._at(thing, source)
            left = self._changed(thing, source, remove=True) if kind == "move" else thing
            return self._changed(left, path, value)
        raise StatusError(400, f"operation {self._number} of the JSON patch: there's no op {kind!r}")

    def _at(self, thing: Any, path: list[str]) -> Any:
        for token in path:
            if isinstance(thing, dict) and token in thing:
                thing = thing[token]
            elif isinstance(thing, list):
                thing = thing[self._index(token, len(thing) - 1)]
            else:
                raise self._failed("the path isn't there")
        return thing

    def _changed(
        self, thing: Any, path: list[str], value: Any = None, *, remove: bool = False, replace: bool = False
    ) -> Any:
        if not path:
            return value
        token, rest = path[0], path[1:]
        if isinstance(thing, dict):
            if (rest or remove) and token not in thing:
                raise self._failed("the path isn't there")
            new = dict(thing)
            if rest:
                new[token] = self._changed(thing[token], rest, value, remove=remove, replace=replace)
            elif remove:
                del new[token]
            else:
                new[token] = value
            return new
        if isinstance(thing, list):
            items = list(thing)
            if rest:
                index = self._index(token, len(items) - 1)
                items[index] = self._changed(items[index], rest, value, remove=remove, replace=replace)
            elif remove or replace:
                index = self._index(token, len(items) - 1)
                items[index : index + 1] = [] if remove else [value]
            else:
                items.insert(len(items) if token == "-" else self._index(token, len(items)), value)  # noqa: S105 - RFC 6901
            return items
        raise self._failed("the path isn't there")

    def _index(self, token: str, highest: int) -> int:
        if token.isdecimal() and int(token) <= highest:
            return int(token)
        raise self._failed(f"the list has no index {token}")

    def _failed(self, why: str) -> StatusError:
        return StatusError(
            422, f"operation {self._number} of the JSON patch ({self._it['op']} {self._it['path']}): {why}"
        )


def _pointer(text: str) -> list[str]:
    """RFC 6901."""
    if text and not text.startswith("/"):
        raise StatusError(400, f"{text!r} is no JSON pointer: it must begin with /")
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]
