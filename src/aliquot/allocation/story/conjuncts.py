"""The parts of a CEL expression that are joined by `&&` at its top: each can be told true or false by itself."""

from collections.abc import Iterator
from typing import Final

_OPEN: Final = "([{"
_CLOSE: Final = ")]}"
_QUOTES: Final = ('"""', "'''", '"', "'")


def conjuncts(expression: str) -> tuple[str, ...]:
    """Splits an expression at `&&`; one part where it's joined in another way.

    Only quotes and brackets are looked at, so a broken expression gives broken parts, never an error.
    """
    inner = _without_outer_parentheses(expression.strip())
    parts: list[str] = []
    start = 0
    for place, operator in _operators(inner):
        if operator != "&&":
            return (inner,)
        parts.append(inner[start:place].strip())
        start = place + 2
    return tuple(term for part in (*parts, inner[start:].strip()) for term in _split_again(part, alone=not parts))


def _split_again(part: str, *, alone: bool) -> tuple[str, ...]:
    return (part,) if alone else conjuncts(part)


def _operators(text: str) -> Iterator[tuple[int, str]]:
    """Yields the logical operators outside of quotes and brackets: `&&`, `||` and a ternary's `?`."""
    place = depth = 0
    while place < len(text):
        end = _string_end(text, place)
        if end:
            place = end
            continue
        character = text[place]
        depth += (character in _OPEN) - (character in _CLOSE)
        pair = text[place : place + 2]
        if depth == 0 and pair in ("&&", "||"):
            yield place, pair
            place += 1
        elif depth == 0 and character == "?" and text[place - 1 : place] not in (".", "["):
            yield place, "?"
        place += 1


def _string_end(text: str, place: int) -> int:
    """Returns where the string literal that begins here ends; 0: none begins here."""
    for quote in _QUOTES:
        if text.startswith(quote, place):
            raw = text[place - 1 : place] in ("r", "R")
            at = place + len(quote)
            while at < len(text) and not text.startswith(quote, at):
                at += 1 if raw or text[at] != "\\" else 2
            return at + len(quote)
    return 0


def _without_outer_parentheses(text: str) -> str:
    while text.startswith("(") and text.endswith(")") and _closes_at(text) == len(text) - 1:
        text = text[1:-1].strip()
    return text


def _closes_at(text: str) -> int:
    place = depth = 0
    while place < len(text):
        end = _string_end(text, place)
        if end:
            place = end
            continue
        depth += (text[place] in _OPEN) - (text[place] in _CLOSE)
        if depth == 0:
            return place
        place += 1
    return -1
