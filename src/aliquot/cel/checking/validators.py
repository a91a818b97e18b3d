"""Checks of a typed tree beyond types: constants that can't be read, mixed literals."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.checking.format_validator import check_format
from aliquot.cel.functions.regexes import RegexError, compile_regex
from aliquot.cel.functions.standard.durations import duration_of
from aliquot.cel.functions.standard.timestamps import timestamp_of, timestamp_of_seconds
from aliquot.cel.problems import Faults
from aliquot.cel.static_types import Type, same, unwrapped
from aliquot.cel.syntax.nodes import Call, ListNode, Literal, MapNode, Node
from aliquot.cel.syntax.trees import children
from aliquot.cel.values.value import Err, Value


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
        check_format(node, str(node.target.value), node.args[0].items, faults)


def _is_duration(value: Value) -> bool:
    return isinstance(value, str) and not isinstance(duration_of(value), Err)


def _is_timestamp(value: Value) -> bool:
    if value is None:  # null passes for a timestamp's type
        return False
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
