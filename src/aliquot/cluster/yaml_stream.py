"""YAML documents into plain JSON values, from libyaml's events.

Building from events, not from composed nodes, keeps our own stack: no depth can exhaust C's. Duplicate keys, alias
bombs, cycles and tags that mean nothing to Kubernetes are errors with a line.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import yaml

from aliquot.cluster.yaml_scalars import plain
from aliquot.kube.reading.shape import join

MAX_DEPTH = 400
"""Levels of nesting. Real objects have below 60; msgspec and json recurse once a level."""

MAX_ALIASED = 1_000_000
"""Values that aliases may add to a document. kubectl refuses bombs in a like manner; honest manifests add dozens."""

_STR = "tag:yaml.org,2002:str"
_TAGS = {f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null", "timestamp")}
_MERGE = "<<"


@dataclass(frozen=True, slots=True)
class YamlError(Exception):
    """YAML that can't be read."""

    message: str
    line: int | None = None
    hint: str = ""


@dataclass(slots=True)
class _Open:
    """A sequence or mapping whose end has not come yet."""

    value: Any
    anchor: str | None
    line: int
    size: int = 1
    key: str | None = None
    merged: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])


def _as_is(value: Any) -> Any:
    return value


def load_all(text: str, pack: Callable[[Any], Any] = _as_is) -> list[Any]:
    """The documents of a text, empty ones left out.

    Args:
        text: YAML.
        pack: takes each object of a list that a document's root holds (a List's items) as soon as it's complete, and
            gives what is kept in its place: the objects of a large dump needn't all be in memory at once.

    Raises:
        YamlError: it isn't YAML, or a document that no one should have to read.
    """
    loader = yaml.CSafeLoader(text)
    try:
        return _Builder(loader, pack).documents()
    except YamlError as error:
        if "{{" in text:
            raise replace(error, hint="this looks like a template: render it first, as helm template does") from None
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(*_explained(error, mark, text)) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlError(f"not text: character U+{_code(error.character):04X} isn't allowed in YAML", line) from error
    except yaml.YAMLError as error:
        raise YamlError(str(error)) from error
    finally:
        loader.dispose()


def _code(character: Any) -> int:
    return character if isinstance(character, int) else ord(character)


def _explained(error: yaml.MarkedYAMLError, mark: Any, text: str) -> tuple[str, int | None, str]:
    line = mark.line + 1 if mark else None
    problem = error.problem or "can't be read"
    lines = text.split("\n", mark.line + 1) if mark else []
    here = lines[mark.line] if mark and mark.line < len(lines) else ""
    hint = ""
    if "\\t" in problem or here[: len(here) - len(here.lstrip())].count("\t"):
        hint = "YAML doesn't allow tabs for indentation: use spaces"
    elif "mapping values are not allowed" in problem:
        hint = "check the indentation, and quote values that hold a colon"
    context = f" {error.context}" if error.context else ""
    return f"not YAML: {problem}{context}", line, hint


class _Builder:
    def __init__(self, loader: Any, pack: Callable[[Any], Any]) -> None:
        self._next = loader.get_event
        self._pack = pack
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._stack: list[_Open] = []
        self._aliased = 0

    def documents(self) -> list[Any]:
        found: list[Any] = []
        while True:
            event = self._next()
            if isinstance(event, yaml.StreamEndEvent):
                return found
            if isinstance(event, yaml.DocumentStartEvent):
                document = self._document()
                if document is not None:
                    found.append(document)

    def _document(self) -> Any:
        self._anchors = {}
        self._stack = []
        self._aliased = 0
        root: Any = None
        while True:
            event = self._next()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                value, size = _scalar(event), 1
                if event.anchor is not None:
                    self._anchors[event.anchor] = (value, 1)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(event, {} if kind is yaml.MappingStartEvent else [])
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                value, size = self._close()
            elif kind is yaml.AliasEvent:
                value, size = self._alias(event)
            else:
                return root
            if self._stack:
                self._add(self._stack[-1], value, size, event)
            else:
                root = value

    def _open(self, event: Any, value: Any) -> None:
        line = event.start_mark.line + 1
        if len(self._stack) >= MAX_DEPTH:
            raise YamlError(f"nested deeper than {MAX_DEPTH} levels", line)
        if event.tag is not None and event.tag not in {"!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}:
            raise YamlError(f"unknown tag {event.tag}", line, "Kubernetes reads plain YAML only")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._stack.append(_Open(value, event.anchor, line))

    def _close(self) -> tuple[Any, int]:
        done = self._stack.pop()
        for source in done.merged:
            done.value = {**source, **done.value}
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.value, done.size)
        if len(self._stack) == 2 and isinstance(done.value, dict) and isinstance(self._stack[1].value, list):
            return self._pack(done.value), done.size
        return done.value, done.size

    def _alias(self, event: Any) -> tuple[Any, int]:
        line = event.start_mark.line + 1
        if event.anchor not in self._anchors:
            raise YamlError(f"alias *{event.anchor} has no anchor", line, f"no &{event.anchor} stands before it")
        known = self._anchors[event.anchor]
        if known is None:
            raise YamlError(f"alias *{event.anchor} lies inside its own anchor: the value has no end", line)
        self._aliased += known[1]
        if self._aliased > MAX_ALIASED:
            raise YamlError(f"aliases expand to more than {MAX_ALIASED} values", line, "write the values out")
        return known

    def _add(self, holder: _Open, value: Any, size: int, event: Any) -> None:
        holder.size += size
        if isinstance(holder.value, list):
            holder.value.append(value)
        elif holder.key is None:
            holder.key = _key(value, event)
            if holder.key in holder.value:
                raise YamlError(f'duplicate key "{holder.key}"', event.start_mark.line + 1, "keep one of the two")
        else:
            if holder.key == _MERGE:
                _merge(holder, value, event)
            else:
                holder.value[holder.key] = value
            holder.key = None


def _merge(holder: _Open, value: Any, event: Any) -> None:
    for source in value if isinstance(value, list) else [value]:
        if not isinstance(source, dict):
            raise YamlError("<< takes an object or a list of objects", event.start_mark.line + 1)
        holder.merged.append(source)


def _key(value: Any, event: Any) -> str:
    """A mapping's key, as kubectl turns it into JSON's."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    raise YamlError("a key that isn't a string", event.start_mark.line + 1, "keys are names; quote them if in doubt")


def _scalar(event: Any) -> Any:
    if event.tag is None and event.implicit[0]:
        value = plain(event.value)
    elif event.tag in {None, "!", _STR}:
        return event.value
    elif event.tag in _TAGS:
        value = plain(event.value)
    else:
        raise YamlError(f"unknown tag {event.tag}", event.start_mark.line + 1, "Kubernetes reads plain YAML only")
    if isinstance(value, float) and not math.isfinite(value):
        raise YamlError(f"{event.value} isn't a number that JSON has", event.start_mark.line + 1)
    return value


@dataclass(slots=True)
class _Path:
    """Where an open container lies, and where in it the next value does."""

    path: str
    index: int | None = None
    """Of a sequence: the next one's."""
    key: str | None = None
    """Of a mapping: the path of the value that comes next, once its key was read."""


def lines(text: str, wanted: set[str]) -> dict[str, int]:
    """The line (from 1) of each wanted path of the first document; a path that isn't there has its parent's."""
    here: dict[str, int] = {}
    paths: list[_Path] = []
    loader = yaml.CSafeLoader(text)
    try:
        while True:
            event: Any = loader.get_event()
            kind = type(event)
            if kind is yaml.DocumentEndEvent:
                break
            if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                paths.pop()
                continue
            if kind in {yaml.StreamStartEvent, yaml.DocumentStartEvent}:
                continue
            line = event.start_mark.line + 1
            path = ""
            if paths:
                top = paths[-1]
                if top.index is not None:
                    path = f"{top.path}[{top.index}]"
                    top.index += 1
                elif top.key is None:
                    top.key = join(top.path, event.value if kind is yaml.ScalarEvent else "?")
                    here.setdefault(top.key, line)
                    continue
                else:
                    path, top.key = top.key, None
            here.setdefault(path, line)
            if kind is yaml.MappingStartEvent:
                paths.append(_Path(path))
            elif kind is yaml.SequenceStartEvent:
                paths.append(_Path(path, 0))
    except yaml.YAMLError:
        pass  # the text was read before; whatever was found so far stands
    finally:
        loader.dispose()
    return {path: line for path in wanted if (line := _nearest(here, path)) is not None}


def _nearest(here: dict[str, int], path: str) -> int | None:
    while path not in here:
        cut = max(path.rfind("."), path.rfind("["))
        if cut <= 0:
            return here.get("")
        path = path[:cut]
    return here[path]
