"""Regular expressions in RE2's language and linear time.

google-re2 decides what is valid and gives every answer that Python's `re` could give differently or slowly. Patterns
of a small, safe kind (literals, classes, `.`, `^`, `$`, and at most one repetition without nesting) mean the same in
`re`, run in linear time there, and are ten times faster.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import re2

_OPTIONS: Final = re2.Options()
_OPTIONS.log_errors = False

Search = Callable[[str], object]


class RegexError(ValueError):
    """A pattern that Go refuses; the message is Go's."""


class Regex:
    """A compiled pattern. Texts must not contain half surrogate pairs."""

    __slots__ = ("_pattern", "_re2", "search", "search_short")

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._re2 = _compiled(pattern)
        slow, fast = self._re2.search, _as_simple(pattern)
        self.search_short: Search = fast or slow
        """The fastest exact search in a text of at most `SHORT` characters."""
        self.search: Search = _for_short(fast, slow) if fast else slow
        """An exact search in any text: a match or None."""

    def find(self, text: str) -> str:
        """The leftmost match, or nothing."""
        match = self._re2.search(text)
        return "" if match is None else match.group()

    def find_all(self, text: str, limit: int) -> list[str]:
        """All matches that don't overlap, at most `limit` of them if it isn't negative, as Go's FindAllString."""
        raw = text.encode()
        search = re2.compile(self._pattern.encode(), _OPTIONS).search
        found: list[str] = []
        position, previous_end = 0, -1
        while position <= len(raw) and (limit < 0 or len(found) < limit):
            match = search(raw, position)
            if match is None:
                break
            start, end = match.span()
            # an empty match right after the match before doesn't count
            if start != end or start != previous_end:
                found.append(raw[start:end].decode())
                previous_end = end
            position = end if end > position else _next_character(raw, position)
        return found


def _next_character(raw: bytes, position: int) -> int:
    """Where the next character of UTF-8 begins."""
    position += 1
    while position < len(raw) and raw[position] & 0xC0 == 0x80:
        position += 1
    return position


def _compiled(pattern: str) -> "re2.Regexp[str]":
    if any(match[0] == r"\C" for match in _ESCAPES.finditer(pattern)):
        raise RegexError(r"error parsing regexp: invalid escape sequence: `\C`")  # RE2 knows it, Go doesn't
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        raise RegexError(_go_message(error)) from None


_ESCAPES: Final = re.compile(r"\\Q.*?(?:\\E|\Z)|\\.", re.DOTALL)


def _go_message(error: Exception) -> str:
    """Go's text for RE2's complaint: the offending part stands in backticks."""
    detail = error.args[0]
    text = detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
    why, _, part = text.partition(": ")
    names = {
        "missing )": "missing closing )",
        "unexpected )": "unexpected )",
        "missing ]": "missing closing ]",
        "bad repetition operator": "invalid nested repetition operator",
        "no argument for repetition operator": "missing argument to repetition operator",
        "trailing \\": "trailing backslash at end of expression",
        "invalid repetition size": "invalid repeat count",
    }
    return f"error parsing regexp: {names.get(why, why)}: `{part}`"


@lru_cache(maxsize=1024)
def compile_regex(pattern: str) -> Regex:
    """Compile a pattern, remembered.

    Raises:
        RegexError: Go would refuse it.
    """
    return Regex(pattern)


_ATOM: Final = (
    r"(?:[A-Za-z0-9 _\-/,:;@#%&=~<>!'\"]|\\[.\-+*?()|\[\]{}^$\\/]|\\d|\[\^?(?:[A-Za-z0-9 _.](?:-[A-Za-z0-9])?)+\]|\.)"
)
_SIMPLE: Final = re.compile(rf"(\^)?({_ATOM}*)(?:({_ATOM})([*+?]))?({_ATOM}*)(\$)?", re.DOTALL)
_EDGES: Final = re.compile(rf"(\^?)\.\*({_ATOM}*)\.\*(\$?)")


def _as_simple(pattern: str) -> Search | None:
    r"""A search by `re` that means the same, or None.

    RE2's `$` is the end of the text (`\Z` in `re`), its `.` excludes newlines, its `\d` is ASCII.
    """
    edges = _EDGES.fullmatch(pattern)
    if edges is not None:
        inner = re.compile(edges[2], re.ASCII).search
        if not edges[1] and not edges[3]:
            return inner  # `.*x.*` occurs where x does
        slow = _compiled(pattern).search
        # `^.*x.*$` on one line: where x occurs
        return lambda text: slow(text) if "\n" in text else inner(text)
    match = _SIMPLE.fullmatch(pattern)
    if match is None:
        return None
    return re.compile(pattern[:-1] + r"\Z" if match[6] else pattern, re.ASCII).search


SHORT: Final = 1024
"""Characters up to which `re` is used; one repetition may take it a time that grows with the square."""


def _for_short(fast: Search, slow: Search) -> Search:
    return lambda text: fast(text) if len(text) <= SHORT else slow(text)
