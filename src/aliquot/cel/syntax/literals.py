"""Reading string and bytes literals: quotes, raw forms and escapes."""

import re
from typing import Final

_SIMPLE: Final = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "`": "`", "?": "?",
}  # fmt: skip
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\'\"`?])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2}))", re.DOTALL
)


class LiteralError(ValueError):
    """An escape that stands for nothing."""


def read_string(token: str) -> str:
    """The text of a string token.

    Raises:
        LiteralError: an escape is no Unicode character.
    """
    body, raw = _body(token)
    if raw or "\\" not in body:
        return body

    def char(match: re.Match[str]) -> str:
        simple, x, u, wide, octal = match.groups()
        if simple:
            return _SIMPLE[simple]
        code = int(octal, 8) if octal else int(x or u or wide, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise LiteralError("invalid unicode code point")
        return chr(code)

    return _ESCAPE.sub(char, body)


def read_bytes(token: str) -> bytes:
    r"""The bytes of a bytes token; `\x` and octal escapes stand for bytes, other characters for their UTF-8.

    Raises:
        LiteralError: it has an escape for a Unicode character.
    """
    body, raw = _body(token[1:])
    if raw or "\\" not in body:
        return body.encode()
    parts: list[bytes] = []
    position = 0
    for match in _ESCAPE.finditer(body):
        parts.append(body[position : match.start()].encode())
        position = match.end()
        simple, x, u, wide, octal = match.groups()
        if u or wide:
            raise LiteralError("unable to unescape string")
        parts.append(_SIMPLE[simple].encode() if simple else bytes([int(octal, 8) if octal else int(x, 16)]))
    parts.append(body[position:].encode())
    return b"".join(parts)


def _body(token: str) -> tuple[str, bool]:
    """What stands between the quotes, and whether it's raw; line ends become newlines."""
    if "\r" in token:
        token = token.replace("\r\n", "\n").replace("\r", "\n")
    raw = token[0] in "rR"
    if raw:
        token = token[1:]
    quotes = 3 if len(token) >= 6 and token[:3] in {'"""', "'''"} else 1
    return token[quotes:-quotes], raw
