"""From text to syntax tree: precedence, limits of nesting, and expansion of macros."""

from typing import Final

from aliquot.cel.literals import LiteralError, read_bytes, read_string
from aliquot.cel.macros import MACRO_NAMES, MacroError, expander
from aliquot.cel.nodes import (
    ADD,
    AND,
    CONDITIONAL,
    EQUALS,
    IN,
    INDEX,
    NEGATE,
    NOT,
    NOT_EQUALS,
    OPT_INDEX,
    OPT_SELECT,
    OR,
    Call,
    Entry,
    Ident,
    ListNode,
    Literal,
    MapNode,
    Message,
    Node,
    Select,
    size,
)
from aliquot.cel.tokens import BYTES, END, ESCAPED, FLOAT, IDENT, INT, KEYWORD, STRING, UINT, Tokens
from aliquot.cel.values import INT_MAX, INT_MIN, UINT_MAX, Uint

MAX_DEPTH: Final = 250
"""cel-go's limit of nesting, for every grammar rule by itself and for the tree."""

MAX_SIZE: Final = 100_000
"""cel-go's limit of an expression's length, in characters."""

_RELATIONS: Final = {
    "<": "_<_", "<=": "_<=_", ">": "_>_", ">=": "_>=_", "==": EQUALS, "!=": NOT_EQUALS, "in": IN,
}  # fmt: skip
_STARTS: Final = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)
_SUMS: Final = {"+": ADD, "-": "_-_"}
_PRODUCTS: Final = {"*": "_*_", "/": "_/_", "%": "_%_"}
_RESERVED: Final = frozenset({
    "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package",
    "namespace", "return", "var", "void", "while",
})  # fmt: skip


class SyntaxFault(Exception):  # noqa: N818  a problem of the text, caught by `compile`
    """The text doesn't follow the grammar."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


class Parser:
    """One pass over the tokens. `faults` collects what is wrong without stopping the parse, as (place, message)."""

    __slots__ = (
        "_calc", "_depth", "_escapes", "_expr", "_index", "_kinds", "_places", "_relation", "_texts",
        "budget", "faults",
    )  # fmt: skip

    def __init__(self, tokens: Tokens, *, escaped_names: bool) -> None:
        self._kinds, self._texts, self._places, _ = tokens
        self._escapes = escaped_names
        self._index = 0
        self._expr = self._relation = self._calc = 0  # open rules of each kind, as ANTLR counts them
        self._depth = 0  # height of the tree that was parsed last, counted as cel-go's visitor does
        self.budget = 8_000
        """How many nodes macros may still copy: they can double the tree at each step."""
        self.faults: list[tuple[int, str]] = []

    def parse(self) -> Node:
        """The whole expression.

        Raises:
            SyntaxFault: it doesn't follow the grammar.
        """
        node = self._expression()
        if self._kinds[self._index] != END:
            raise self._unexpected("<EOF>")
        return node

    # --- operators, loosest first ------------------------------------------------------------------------------------
    def _expression(self) -> Node:
        self._expr += 1
        if self._expr > MAX_DEPTH:
            raise self._too_deep()
        node = self._or()
        if self._texts[self._index] == "?":
            at = self._places[self._index]
            self._index += 1
            depth = self._depth
            then = self._or()
            depth = max(depth, self._depth)
            self._expect(":")
            otherwise = self._expression()
            self._deeper(max(depth, self._depth))
            node = Call(at, CONDITIONAL, None, [node, then, otherwise])
        self._expr -= 1
        return node

    def _or(self) -> Node:
        node = self._and()
        if self._texts[self._index] != "||":
            return node
        at, terms, depth = self._places[self._index], [node], self._depth
        while self._texts[self._index] == "||":
            self._index += 1
            terms.append(self._and())
            depth = max(depth, self._depth)
        self._depth = depth
        return Call(at, OR, None, terms)

    def _and(self) -> Node:
        node = self._relations()
        if self._texts[self._index] != "&&":
            return node
        at, terms, depth = self._places[self._index], [node], self._depth
        while self._texts[self._index] == "&&":
            self._index += 1
            terms.append(self._relations())
            depth = max(depth, self._depth)
        self._depth = depth
        return Call(at, AND, None, terms)

    def _relations(self) -> Node:
        self._relation += 1
        if self._relation > MAX_DEPTH:
            raise self._too_deep()
        node = self._sums()
        texts = self._texts
        while texts[self._index] in _RELATIONS:
            # the recursion to the left closes a rule and opens one; the operand on the right opens another
            self._relation += 1
            if self._relation > MAX_DEPTH:
                raise self._too_deep()
            at, function, depth = self._places[self._index], _RELATIONS[texts[self._index]], self._depth
            self._index += 1
            right = self._sums()
            self._relation -= 1
            self._deeper(max(depth, self._depth))
            node = Call(at, function, None, [node, right])
        self._relation -= 1
        return node

    def _sums(self) -> Node:
        self._calc += 1
        if self._calc > MAX_DEPTH:
            raise self._too_deep()
        node = self._products()
        texts = self._texts
        while texts[self._index] in _SUMS:
            self._calc += 1
            if self._calc > MAX_DEPTH:
                raise self._too_deep()
            at, function, depth = self._places[self._index], _SUMS[texts[self._index]], self._depth
            self._index += 1
            right = self._products()
            self._calc -= 1
            self._deeper(max(depth, self._depth))
            node = Call(at, function, None, [node, right])
        self._calc -= 1
        return node

    def _products(self) -> Node:
        """Sums and products are one rule of the grammar, so they share a count."""
        node = self._unary()
        texts = self._texts
        while texts[self._index] in _PRODUCTS:
            self._calc += 1
            if self._calc > MAX_DEPTH:
                raise self._too_deep()
            at, function, depth = self._places[self._index], _PRODUCTS[texts[self._index]], self._depth
            self._index += 1
            right = self._unary()
            self._calc -= 1
            self._deeper(max(depth, self._depth))
            node = Call(at, function, None, [node, right])
        return node

    def _unary(self) -> Node:
        text = self._texts[self._index]
        if text not in {"!", "-"}:
            return self._members()
        at, count = self._places[self._index], 0
        while self._texts[self._index] == text:
            count += 1
            self._index += 1
        if text == "-" and count == 1 and self._kinds[self._index] in {INT, FLOAT}:
            return self._members(signed_at=at)
        node = self._members()
        return Call(at, NOT if text == "!" else NEGATE, None, [node]) if count % 2 else node

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
                if function in {"optMap", "optFlatMap"}:
                    assert target is not None
                    self.budget -= size(target)
                    if self.budget < 0:
                        raise SyntaxFault(at, "the expression grows too large: optMap copies what stands before it")
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

    # --- faults ------------------------------------------------------------------------------------------------------
    def _expect(self, text: str) -> None:
        if self._texts[self._index] != text:
            raise self._unexpected(f"'{text}'")
        self._index += 1

    def _deeper(self, depth: int) -> None:
        self._depth = depth + 1
        if self._depth > MAX_DEPTH:
            raise SyntaxFault(-1, "max recursion depth exceeded")

    def _unexpected(self, wanted: str) -> SyntaxFault:
        text = self._texts[self._index]
        return SyntaxFault(self._places[self._index], f"Syntax error: mismatched input '{text}' expecting {wanted}")

    @staticmethod
    def _too_deep() -> SyntaxFault:
        return SyntaxFault(-1, f"expression recursion limit exceeded: {MAX_DEPTH}")
