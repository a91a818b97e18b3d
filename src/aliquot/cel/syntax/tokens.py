"""Splitting an expression into tokens, by the lexer rules of CEL's grammar."""

import re
from typing import Final, NamedTuple

END: Final = 0
IDENT: Final = 1
INT: Final = 2
UINT: Final = 3
FLOAT: Final = 4
STRING: Final = 5
BYTES: Final = 6
OPERATOR: Final = 7
KEYWORD: Final = 8
ESCAPED: Final = 9
"""Kinds of tokens. KEYWORD: true, false, null and in. ESCAPED: a name in backticks."""

_ESCAPE: Final = r"""\\(?:[abfnrtv"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"""
_TEXT: Final = (
    rf'"""(?:{_ESCAPE}|[^\\])*?"""|'
    rf"'''(?:{_ESCAPE}|[^\\])*?'''|"
    rf'"(?:{_ESCAPE}|[^\\"\n\r])*"|'
    rf"'(?:{_ESCAPE}|[^\\'\n\r])*'|"
    r"""[rR](?:\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''|"[^"\n\r]*"|'[^'\n\r]*')"""
)
_TOKEN: Final = re.compile(
    rf"""(?:[ \t\r\n\f]+|//[^\n]*)*
    (?:(?P<string>{_TEXT})
    |(?P<bytes>[bB](?:{_TEXT}))
    |(?P<ident>[a-zA-Z_][a-zA-Z0-9_]*)
    |(?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
    |(?P<uint>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])
    |(?P<int>0x[0-9a-fA-F]+|[0-9]+)
    |(?P<operator>==|!=|<=|>=|&&|\|\||[<>\[\]{{}}().,\-!?:+*/%])
    |(?P<escaped>`[a-zA-Z0-9_.\-/\ ]+`)
    |(?P<end>\Z)
    )""",
    re.VERBOSE | re.ASCII,
)
_KINDS: Final = {
    "string": STRING,
    "bytes": BYTES,
    "ident": IDENT,
    "float": FLOAT,
    "uint": UINT,
    "int": INT,
    "operator": OPERATOR,
    "escaped": ESCAPED,
}
_KEYWORDS: Final = frozenset({"true", "false", "null", "in"})
_BLANK: Final = re.compile(r"(?:[ \t\r\n\f]+|//[^\n]*)*")


class Tokens(NamedTuple):
    """The tokens as columns; the last one is END. `bad` is where no token could be read, or -1."""

    kinds: list[int]
    texts: list[str]
    places: list[int]
    bad: int


def tokenize(source: str) -> Tokens:
    """All tokens up to the end, or up to the first character that starts none."""
    kinds: list[int] = []
    texts: list[str] = []
    places: list[int] = []
    match_at = _TOKEN.match
    position = 0
    while True:
        match = match_at(source, position)
        if match is None:
            blank = _BLANK.match(source, position)
            return Tokens(kinds, texts, places, position if blank is None else blank.end())
        group = match.lastgroup
        assert group is not None
        start, position = match.span(group)
        if group == "end":
            kinds.append(END)
            texts.append("<EOF>")
            places.append(start)
            return Tokens(kinds, texts, places, -1)
        text = source[start:position]
        kinds.append(KEYWORD if text in _KEYWORDS else _KINDS[group])
        texts.append(text)
        places.append(start)


NO_TOKENS: Final = Tokens([], [], [], -1)
"""For a text that is too long to be looked at."""
