"""The check of constant format strings against their arguments."""

from typing import Final

from aliquot.cel import static_types as t
from aliquot.cel.checking.type_display import runtime_name
from aliquot.cel.functions.extensions.format_clauses import parse_clauses
from aliquot.cel.problems import Faults
from aliquot.cel.syntax.nodes import Call, ListNode, MapNode, Node
from aliquot.cel.syntax.trees import children

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


def check_format(node: Call, template: str, items: list[Node], faults: Faults) -> None:
    """What is wrong with a constant template and its list of arguments, added to `faults`."""
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
