"""What a plain YAML scalar means to kubectl: YAML 1.1 as sigs.k8s.io/yaml reads it, into JSON values.

`yes` and `on` are booleans, `017` is octal, `1:30` and `2026-11-30` stay strings.
"""

import math
import re
from functools import lru_cache

_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_START = frozenset("+-.0123456789")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LARGEST = 2**64
"""Integers from here on are floats, as in Go."""


@lru_cache(maxsize=65536)
def plain(text: str) -> str | int | float | bool | None:
    """The value of an unquoted scalar without a tag."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_START:
        return text
    digits = text.replace("_", "")
    if integer := _INTEGER.fullmatch(digits):
        sign, hexadecimal, binary, octal, decimal = integer.groups()
        if decimal and len(decimal) > 400:
            return math.inf
        number = (
            int(hexadecimal, 16)
            if hexadecimal
            else int(binary, 2)
            if binary
            else int(octal, 8)
            if octal
            else int(decimal)
        )
        number = -number if sign == "-" else number
        if -_LARGEST // 2 <= number < _LARGEST:
            return number
        digits = str(number)
    if _FLOAT.fullmatch(digits):
        value = float(digits)
        return int(value) if value.is_integer() and abs(value) < 1e15 else value
    return text
