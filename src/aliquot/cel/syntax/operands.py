"""Operands: literals, names, calls, selections and indices, lists, maps and messages; macros are expanded here."""

from abc import ABC, abstractmethod
from typing import Final

from aliquot.cel.operator_names import (
    INDEX,
    OPT_INDEX,
    OPT_SELECT,
)
from aliquot.cel.syntax.cursor import Cursor
from aliquot.cel.syntax.literals import LiteralError, read_bytes, read_string
from aliquot.cel.syntax.macros import MACRO_NAMES, MacroError, expander
from aliquot.cel.syntax.nodes import Call, Entry, Ident, ListNode, Literal, MapNode, Message, Node, Select
from aliquot.cel.syntax.tokens import BYTES, ESCAPED, FLOAT, IDENT, INT, KEYWORD, STRING, UINT
from aliquot.cel.values.numbers import INT_MAX, INT_MIN, UINT_MAX, Uint

_STARTS: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
_RESERVED: Final = frozenset({
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
    "namespace", "return", "var", "void", "while",
})  # fmt: skip


class Operands(Cursor, ABC):
    """The part of the parser that reads what stands between operators."""

    __slots__ = ()

    @abstractmethod
    def _expression(self) -> Node:
        """A whole expression: what stands in parentheses, brackets and arguments."""
        ...

    # --- selections, calls, indices ----------------------------------------------------------------------------------
    def _members(self, signed_at: int = -1) -> Node:
        node = self._primary() if signed_at < 0 else self._number(signed_at, "-")
        while True:
            text = self._texts[self._index]
            if text == ".":
                node = self._field(node)
            elif text == "[":
                node = self._item(node)
            else:
                return node

    def _field(self, operand: Node) -> Node:
        depth = self._depth
        at = self._places[self._index]
        self._index += 1
        optional = self._texts[self._index] == "?"
        if optional:
            self._index += 1
        kind, name, name_at = self._kinds[self._index], self._texts[self._index], self._places[self._index]
        if kind == ESCAPED:
            if not self._escapes:
                self.faults.append((name_at, "unsupported syntax: '`'"))
            name = name[1:-1]
        elif kind != IDENT:
            raise self._unexpected("IDENTIFIER")
        self._index += 1
        if self._texts[self._index] == "(" and not optional and kind == IDENT:
            call_at = self._places[self._index]
            args, inner = self._arguments()
            self._deeper(max(depth, inner))
            return self._call(call_at, name, operand, args)
        self._deeper(depth)
        if optional:
            return Call(at, OPT_SELECT, None, [operand, Literal(name_at, name)])
        return Select(at, operand, name)

    def _item(self, operand: Node) -> Node:
        depth = self._depth
        at = self._places[self._index]
        self._index += 1
        function = INDEX
        if self._texts[self._index] == "?":
            self._index += 1
            function = OPT_INDEX
        index = self._expression()
        self._expect("]")
        self._deeper(max(depth, self._depth))
        return Call(at, function, None, [operand, index])

    def _arguments(self) -> tuple[list[Node], int]:
        """The arguments of a call, and the height of the highest."""
        self._index += 1
        args: list[Node] = []
        depth = 0
        if self._texts[self._index] != ")":
            while True:
                args.append(self._expression())
                depth = max(depth, self._depth)
                if self._texts[self._index] != ",":
                    break
                self._index += 1
        self._expect(")")
        return args, depth

    def _call(self, at: int, function: str, target: Node | None, args: list[Node]) -> Node:
        if function in MACRO_NAMES:
            expand = expander(function, len(args), member=target is not None)
            if expand is not None:
                try:
                    expanded = expand(at, target, args)
                except MacroError as error:
                    self.faults.append((error.at, error.message))
                    return Literal(at, None)
                if expanded is not None:
                    return expanded
        return Call(at, function, target, args)

    # --- the smallest parts ------------------------------------------------------------------------------------------
    def _primary(self) -> Node:
        kind = self._kinds[self._index]
        if kind == IDENT:
            return self._name("", self._places[self._index])
        at, text = self._places[self._index], self._texts[self._index]
        if kind in {STRING, BYTES}:
            self._index += 1
            self._depth = 0
            try:
                return Literal(at, read_string(text) if kind == STRING else read_bytes(text))
            except LiteralError as error:
                self.faults.append((at, str(error)))
                return Literal(at, None)
        if kind in {INT, UINT, FLOAT}:
            return self._number(at, "")
        if kind == KEYWORD and text != "in":
            self._index += 1
            self._depth = 0
            return Literal(at, {"true": True, "false": False, "null": None}[text])
        if text == "(":
            self._index += 1
            node = self._expression()
            self._expect(")")
            return node
        if text == "[":
            return self._list()
        if text == "{":
            self._index += 1
            return MapNode(at, self._entries(fields=False))
        if text == "." and self._kinds[self._index + 1] == IDENT:
            self._index += 1
            return self._name(".", at)
        raise self._unexpected(_STARTS)

    def _name(self, dot: str, at: int) -> Node:
        name, name_at = self._texts[self._index], self._places[self._index]
        self._index += 1
        self._depth = 0
        follower = self._texts[self._index]
        if follower in {"{", "."} and self._is_message():
            return self._message(dot + name)
        if name in _RESERVED:
            self.faults.append((at, f"reserved identifier: {name}"))
        if follower == "(":
            call_at = self._places[self._index]
            args, self._depth = self._arguments()
            return self._call(call_at, dot + name, None, args)
        return Ident(name_at, dot + name)

    def _is_message(self) -> bool:
        """Whether the rest of a dotted name ends in `{`."""
        index = self._index
        while self._texts[index] == "." and self._kinds[index + 1] == IDENT:
            index += 2
        return self._texts[index] == "{"

    def _message(self, name: str) -> Node:
        while self._texts[self._index] == ".":
            name += "." + self._texts[self._index + 1]
            self._index += 2
        at = self._places[self._index]
        self._index += 1
        return Message(at, name, self._entries(fields=True))

    def _number(self, at: int, sign: str) -> Node:
        kind, text = self._kinds[self._index], self._texts[self._index]
        self._index += 1
        self._depth = 0
        if kind == FLOAT:
            value = float(sign + text)
            if value in {float("inf"), float("-inf")}:
                self.faults.append((at, "invalid double literal"))
            return Literal(at, value)
        digits = text[:-1] if kind == UINT else text
        number = int(digits, 16) if digits[:2] == "0x" else int(digits) if len(digits) < 400 else UINT_MAX + 1
        if kind == UINT:
            if number > UINT_MAX:
                self.faults.append((at, "invalid uint literal"))
            return Literal(at, Uint(number))
        if sign:
            number = -number
        if not INT_MIN <= number <= INT_MAX:
            self.faults.append((at, "invalid int literal"))
        return Literal(at, number)

    def _list(self) -> Node:
        at = self._places[self._index]
        self._index += 1
        items: list[Node] = []
        optional: list[int] = []
        depth = 0
        while self._texts[self._index] != "]":
            if not items and self._texts[self._index] == ",":
                self._index += 1  # the grammar allows `[,]`
                break
            if self._texts[self._index] == "?":
                self._index += 1
                optional.append(len(items))
            items.append(self._expression())
            depth = max(depth, self._depth)
            if self._texts[self._index] != ",":
                break
            self._index += 1
        self._expect("]")
        self._depth = depth
        return ListNode(at, items, frozenset(optional))

    def _entries(self, *, fields: bool) -> list[Entry]:
        entries: list[Entry] = []
        depth = 0
        while self._texts[self._index] != "}":
            if not entries and self._texts[self._index] == ",":
                self._index += 1
                break
            optional = self._texts[self._index] == "?"
            if optional:
                self._index += 1
            key = self._field_name() if fields else self._expression()
            depth = max(depth, self._depth)
            at = self._places[self._index]
            self._expect(":")
            value = self._expression()
            depth = max(depth, self._depth)
            entries.append(Entry(at, key, value, optional=optional))
            if self._texts[self._index] != ",":
                break
            self._index += 1
        self._expect("}")
        self._depth = depth
        return entries

    def _field_name(self) -> Node:
        at, name, kind = self._places[self._index], self._texts[self._index], self._kinds[self._index]
        if kind == ESCAPED:
            if not self._escapes:
                self.faults.append((at, "unsupported syntax: '`'"))
            name = name[1:-1]
        elif kind != IDENT:
            raise self._unexpected("IDENTIFIER")
        self._index += 1
        self._depth = 0
        return Literal(at, name)
