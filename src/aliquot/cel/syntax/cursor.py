"""The parser's place among the tokens, how deep it is, and what it found wrong."""

from typing import Final

from aliquot.cel.syntax.tokens import Tokens

MAX_DEPTH: Final = 250
"""cel-go's limit of nesting, for every grammar rule by itself and for the tree."""


class SyntaxFault(Exception):  # noqa: N818  a problem of the text, caught by `compile`
    """The text doesn't follow the grammar."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


class Cursor:
    """A place in a list of tokens. `faults` collects what is wrong without stopping the parse."""

    __slots__ = ("_depth", "_escapes", "_index", "_kinds", "_places", "_texts", "faults")

    def __init__(self, tokens: Tokens, *, escaped_names: bool) -> None:
        self._kinds, self._texts, self._places = tokens.kinds, tokens.texts, tokens.places
        self._escapes = escaped_names
        self._index: int = 0
        self._depth: int = 0  # height of the tree that was parsed last, counted as cel-go's visitor does
        self.faults: list[tuple[int, str]] = []

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
