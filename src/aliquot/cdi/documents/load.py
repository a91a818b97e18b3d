"""From text to plain data, with the line of every field on request.

YAML and JSON are read alike, as YAML 1.1 (`yaml_scalar`). Keys become text; a key that comes twice is an error. Only
the first document of a file counts.
"""

import contextlib
import json
import re
from typing import Any, TypeAlias, cast

import yaml

from aliquot.cdi.documents.yaml_scalar import TAG, float_text, resolve
from aliquot.cdi.plain_data import is_list, is_object
from aliquot.cdi.problems import Problem

Where: TypeAlias = "tuple[Where, str | int] | None"
"""A place in a document: the place it's in, and the key or index there; None is the document itself."""

MAX_DEPTH = 50
"""A spec is seven levels deep."""

# Where JSON and YAML differ: what only YAML takes for a line end or refuses; surrogates; a key apart from its colon.
_YAML_DIFFERS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_KEY_APART = re.compile(r'"[ \t]*[\r\n]\s*:')


class NotReadable(Exception):  # noqa: N818 it's caught within this package, and never leaves it
    """The text can't be read to its end. Holds the one problem that stopped it."""

    def __init__(self, message: str, line: int | None = None, path: str = "") -> None:
        super().__init__(message)
        self.problem = Problem("syntax", message, path=path, line=line)


def path_text(where: Where) -> str:
    """A place as in `devices[0].containerEdits.env`."""
    parts: list[str] = []
    while where is not None:
        where, key = where
        parts.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return "".join(reversed(parts)).removeprefix(".")


def load(text: str) -> tuple[Any, list[Problem]]:
    """The first document of the text as dictionaries, lists and scalars, and its repeated keys.

    Raises:
        NotReadable: the text is neither YAML nor JSON.
    """
    if _may_be_plain_json(text):
        try:
            return _JSON.decode(text), []
        except (ValueError, RecursionError):
            pass  # more than JSON, or less: YAML knows where
    composer = _Composer(text)
    return composer.document(), composer.problems


def lines(text: str) -> dict[str, int]:
    """The line of every place that the text has, up to where it can't be read any more."""
    found: dict[str, int] = {}
    with contextlib.suppress(NotReadable):
        _Composer(text, found).document()
    return found


def has_more_documents(text: str) -> int | None:
    """The line of the second document, if there's one."""
    composer = _Composer(text)
    composer.document()
    return composer.next_document()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _refuse(_: str) -> None:
    raise ValueError


_JSON = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)


def _may_be_plain_json(text: str) -> bool:
    """Tell whether a JSON reader, which is faster, would see what the YAML reader sees."""
    return (
        text.lstrip(" \n").startswith("{")
        and not ("\\u" in text and _SURROGATE.search(text))
        and not ("\n" in text and _KEY_APART.search(text))
        and (not _YAML_DIFFERS.search(text) if not text.isascii() else "\x7f" not in text)
    )


class _Composer:
    """Builds data from parser events. Aliases share their target; a limit on them stops documents that explode."""

    def __init__(self, text: str, found: dict[str, int] | None = None) -> None:
        self.problems: list[Problem] = []
        self.found = found
        self.anchors: dict[str, tuple[Any, int]] = {}  # name -> value, and how many nodes it stands for
        self.open: set[str] = set()
        self.nodes = 0
        self.aliased = 0
        self.last_line = max(len(text.splitlines()), 1)
        try:
            self.parser = yaml.CSafeLoader(text)  # only its event parser is used
        except (yaml.YAMLError, UnicodeError) as error:
            raise _as_not_readable(error, self.last_line) from None

    def event(self) -> yaml.Event:
        try:
            return cast("yaml.Event", self.parser.get_event())
        except (yaml.YAMLError, UnicodeError) as error:
            raise _as_not_readable(error, self.last_line) from None

    def document(self) -> Any:
        """The first document; None if there's none."""
        self.event()  # the stream starts
        if isinstance(self.event(), yaml.StreamEndEvent):
            return None
        value = self.node(self.event(), None, 0)
        self.event()  # the document's end: what can't even be taken apart behind it spoils it, as in Go's reader
        return value

    def next_document(self) -> int | None:
        """The line of the document after the first."""
        event = self.event()
        while not isinstance(event, yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                return _line(event)
            event = self.event()
        return None

    def node(self, event: yaml.Event, where: Where, depth: int) -> Any:
        self.nodes += 1
        if self.found is not None:
            self.found.setdefault(path_text(where), _line(event))
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, where)
        if depth > MAX_DEPTH:
            raise NotReadable(f"more than {MAX_DEPTH} levels deep", _line(event), path_text(where))
        before = self.nodes - 1
        anchor = cast("str | None", getattr(event, "anchor", None))
        if anchor is not None:
            self.open.add(anchor)
        value: Any
        if isinstance(event, yaml.MappingStartEvent):
            value = self.mapping(where, depth)
        elif isinstance(event, yaml.SequenceStartEvent):
            value = self.sequence(where, depth)
        else:
            value = self.scalar(cast("yaml.ScalarEvent", event), where)
        if anchor is not None:
            self.open.discard(anchor)
            self.anchors[anchor] = (value, self.nodes - before)
        return value

    def alias(self, event: yaml.AliasEvent, where: Where) -> Any:
        name = cast("str", event.anchor)
        if name in self.open:
            raise NotReadable(f"the anchor {name!r} contains itself", _line(event), path_text(where))
        if name not in self.anchors:
            raise NotReadable(f"the anchor {name!r} isn't defined before its use", _line(event), path_text(where))
        value, size = self.anchors[name]
        self.nodes += size
        self.aliased += size
        if self.aliased > 100 and self.nodes > 1000 and self.aliased > self.nodes * _allowed_ratio(self.nodes):
            raise NotReadable("too much of the document comes from aliases", _line(event), path_text(where))
        return value

    def scalar(self, event: yaml.ScalarEvent, where: Where) -> Any:
        try:
            return resolve(event.value, event.tag, plain=bool(event.implicit[0]))
        except ValueError as error:
            raise NotReadable(str(error), _line(event), path_text(where)) from None

    def sequence(self, where: Where, depth: int) -> list[Any]:
        items: list[Any] = []
        while not isinstance(event := self.event(), yaml.SequenceEndEvent):
            items.append(self.node(event, (where, len(items)), depth + 1))
        return items

    def mapping(self, where: Where, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        while not isinstance(event := self.event(), yaml.MappingEndEvent):
            if isinstance(event, yaml.ScalarEvent) and _is_merge(event):
                following = self.event()
                self.merge(members, self.node(following, where, depth + 1), following, where)
                continue
            key = self.key(event, where, depth + 1)
            place = (where, key)
            if self.found is not None:
                self.found.setdefault(path_text(place), _line(event))
            value = self.node(self.event(), place, depth + 1)
            self.insert(members, key, value, _line(event), place)
        return members

    def key(self, event: yaml.Event, where: Where, depth: int) -> str:
        found, self.found = self.found, None  # a key has no place of its own
        key = self.node(event, where, depth)
        self.found = found
        return _key_text(key, event, where)

    def merge(self, members: dict[str, Any], merged: Any, event: yaml.Event, where: Where) -> None:
        sources = list(reversed(merged)) if is_list(merged) else [merged]
        for source in sources:
            if not is_object(source):
                raise NotReadable("`<<` takes a mapping or a list of mappings", _line(event), path_text(where))
            for key, value in source.items():
                self.insert(members, key, value, _line(event), (where, key))

    def insert(self, members: dict[str, Any], key: str, value: Any, line: int, where: Where) -> None:
        if key in members:
            message = f"the key {key!r} comes twice"
            problem = Problem(
                category="syntax", message=message, path=path_text(where), hint="keep one of them", line=line
            )
            self.problems.append(problem)
        else:
            members[key] = value


def _line(event: yaml.Event) -> int:
    return int(cast("yaml.Mark", event.start_mark).line) + 1


def _is_merge(event: yaml.ScalarEvent) -> bool:
    return bool(event.value == "<<" and (event.implicit[0] or event.tag == f"{TAG}merge"))


def _key_text(key: Any, event: yaml.Event, where: Where) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        return str(key)
    if isinstance(key, float):
        return float_text(key)
    raise NotReadable("a key must be text", _line(event), path_text(where))


def _allowed_ratio(nodes: int) -> float:
    """How much of a document may come from aliases, as in Go's reader: 99 % of a small one, 10 % of a huge one."""
    return 0.99 - 0.89 * min(max(nodes - 400_000, 0) / 3_600_000, 1.0)


def _as_not_readable(error: yaml.YAMLError | UnicodeError, last_line: int) -> NotReadable:
    mark = getattr(error, "problem_mark", None)
    said = " ".join(part for part in (getattr(error, "context", None), getattr(error, "problem", None)) if part)
    return NotReadable(
        said or str(error).split("\n", 1)[0], None if mark is None else min(int(mark.line) + 1, last_line)
    )
