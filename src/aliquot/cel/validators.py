"""Checks of a typed tree beyond types: constants that can't be read, mixed literals, clauses of format strings."""

from collections.abc import Callable
from typing import Final

from aliquot.cel import celtypes as t
from aliquot.cel.celtypes import Type, same, unwrapped
from aliquot.cel.formatting import parse_clauses
from aliquot.cel.nodes import Call, ListNode, Literal, MapNode, Node, children
from aliquot.cel.regexes import RegexError, compile_regex
from aliquot.cel.times import duration_of, timestamp_of, timestamp_of_seconds
from aliquot.cel.values import Err, Value

Faults = list[tuple[int, str]]


def validate(root: Node) -> Faults:
    """Everything that cel-go's validators of Kubernetes' environment find."""
    faults: Faults = []
    waiting: list[tuple[Node, bool]] = [(root, False)]
    while waiting:
        node, formatted = waiting.pop()
        if isinstance(node, Call):
            _check_call(node, faults)
            formatted = formatted or node.function == "format"
        elif isinstance(node, ListNode) and not formatted:
            _check_list(node, faults)
        elif isinstance(node, MapNode) and not formatted:
            _check_map(node, faults)
        waiting.extend((child, formatted) for child in children(node))
    return faults


def _check_call(node: Call, faults: Faults) -> None:
    if node.function in _CONSTANTS and node.args:
        argument = node.args[0]
        if isinstance(argument, Literal) and not _CONSTANTS[node.function](argument.value):
            faults.append((argument.at, f"invalid {node.function} argument"))
    elif node.function == "format" and isinstance(node.target, Literal) and isinstance(node.args[0], ListNode):
        _check_format(node, str(node.target.value), node.args[0].items, faults)


def _is_duration(value: Value) -> bool:
    return isinstance(value, str) and not isinstance(duration_of(value), Err)


def _is_timestamp(value: Value) -> bool:
    return not isinstance(timestamp_of(value) if isinstance(value, str) else timestamp_of_seconds(value), Err)


def _is_pattern(value: Value) -> bool:
    try:
        compile_regex(value)
    except RegexError:
        return False
    return True


_CONSTANTS: Final[dict[str, Callable[[Value], bool]]] = {
    "duration": _is_duration,
    "timestamp": _is_timestamp,
    "matches": _is_pattern,
}
"""Tests of a constant first argument. For the function `matches(text, pattern)` that is the text: so cel-go does."""


# --- literals of one type --------------------------------------------------------------------------------------------
def _mixed(at: int, expected: Type, found: Type) -> tuple[int, str]:
    return at, f"expected type '{expected}' but found '{found}'"


def _check_list(node: ListNode, faults: Faults) -> None:
    expected: Type | None = None
    for index, item in enumerate(node.items):
        found = unwrapped(item.type)[0] if index in node.optional else item.type
        if expected is None:
            expected = found
        elif not same(expected, found):
            faults.append(_mixed(item.at, expected, found))
            return


def _check_map(node: MapNode, faults: Faults) -> None:
    expected: tuple[Type, Type] | None = None
    for entry in node.entries:
        value = unwrapped(entry.value.type)[0] if entry.optional else entry.value.type
        if expected is None:
            expected = (entry.key.type, value)
            continue
        key_type, value_type = expected
        if not same(key_type, entry.key.type):
            faults.append(_mixed(entry.key.at, key_type, entry.key.type))
        if not same(value_type, value):
            faults.append(_mixed(entry.value.at, value_type, value))


# --- format strings --------------------------------------------------------------------------------------------------
_INTEGERS: Final = frozenset({t.INT, t.UINT})
_FLOATS: Final = frozenset({t.DOUBLE, t.STRING})
_TEXTS: Final = frozenset({
    t.LIST, t.MAP, t.INT, t.UINT, t.DOUBLE, t.BOOL, t.STRING, t.TIMESTAMP, t.BYTES, t.DURATION, t.TYPE, t.NULL,
})  # fmt: skip
_CLAUSES: Final = {
    "d": (_INTEGERS, "decimal clause can only be used on integers, was given {}"),
    "f": (_FLOATS, "fixed-point clause can only be used on doubles, was given {}"),
    "e": (_FLOATS, "scientific clause can only be used on doubles, was given {}"),
    "b": (_INTEGERS | {t.BOOL}, "only integers and bools can be formatted as binary, was given {}"),
    "x": (
        _INTEGERS | {t.STRING, t.BYTES},
        "only integers, byte buffers, and strings can be formatted as hex, was given {}",
    ),
    "o": (_INTEGERS, "octal clause can only be used on integers, was given {}"),
}
_TEXT_COMPLAINT: Final = (
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps, was given {}"
)


def _check_format(node: Call, template: str, items: list[Node], faults: Faults) -> None:
    used = 0
    for part in parse_clauses(template):
        if isinstance(part, str):
            continue
        letter = part[0]
        if letter == "!unexpected end of string":
            faults.append((node.at, letter[1:]))
            return
        if used >= len(items):
            faults.append((node.at, f"index {used} out of range"))
            return
        if letter[0] == "!":
            faults.append((node.at, letter[1:]))
            return
        fault = _check_clause(letter, items[used])
        if fault is not None:
            faults.append((fault[0], f"error during formatting: {fault[1]}"))
            return
        used += 1
    if len(items) > used:
        message = f"too many arguments supplied to string.format (expected {used}, got {len(items)})"
        faults.append((node.at, message))


def _check_clause(letter: str, item: Node) -> tuple[int, str] | None:
    if letter == "s":
        bad = _not_text(item)
        return None if bad is None else (bad.at, _TEXT_COMPLAINT.format(runtime_name(bad.type)))
    kinds, complaint = _CLAUSES[letter.lower()]
    if item.type.kind == t.DYN or item.type.kind in kinds:
        return None
    return item.at, complaint.format(runtime_name(item.type))


def _not_text(item: Node) -> Node | None:
    """The part of an argument that has no text, if any."""
    if item.type.kind != t.DYN and item.type.kind not in _TEXTS:
        return item
    inner: list[Node] = []
    if isinstance(item, ListNode | MapNode):
        inner = children(item)
    return next((bad for part in inner if (bad := _not_text(part)) is not None), None)


_RUNTIME_NAMES: Final = {
    t.ANY: "google.protobuf.Any",
    t.NULL: "null_type",
    t.TIMESTAMP: "google.protobuf.Timestamp",
    t.DURATION: "google.protobuf.Duration",
}


def runtime_name(found: Type) -> str:
    """The type's name at run time, without parameters."""
    return _RUNTIME_NAMES.get(found.kind, found.name)


def declared_name(found: Type) -> str:
    """The type as cel-go prints a program's result type: `google.protobuf.Any`, `list(string)`."""
    name = runtime_name(found)
    return f"{name}({', '.join(declared_name(param) for param in found.params)})" if found.params else name
