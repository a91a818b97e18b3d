"""From tokens to a syntax tree: operators by precedence, with cel-go's limits of nesting."""

from typing import Final

from aliquot.cel.operator_names import (
    ADD,
    AND,
    CONDITIONAL,
    EQUALS,
    IN,
    NEGATE,
    NOT,
    NOT_EQUALS,
    OR,
)
from aliquot.cel.syntax.cursor import MAX_DEPTH
from aliquot.cel.syntax.nodes import Call, Node
from aliquot.cel.syntax.operands import Operands
from aliquot.cel.syntax.tokens import END, FLOAT, INT, Tokens

MAX_SIZE: Final = 100_000
"""cel-go's limit of an expression's length, in characters."""

_RELATIONS: Final = {
    "<": "_<_", "<=": "_<=_", ">": "_>_", ">=": "_>=_", "==": EQUALS, "!=": NOT_EQUALS, "in": IN,
}  # fmt: skip
_SUMS: Final = {"+": ADD, "-": "_-_"}
_PRODUCTS: Final = {"*": "_*_", "/": "_/_", "%": "_%_"}


class Parser(Operands):
    """One pass over the tokens."""

    __slots__ = ("_calc", "_expr", "_relation")

    def __init__(self, tokens: Tokens, *, escaped_names: bool) -> None:
        super().__init__(tokens, escaped_names=escaped_names)
        self._expr = self._relation = self._calc = 0  # open rules of each kind, as ANTLR counts them

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
