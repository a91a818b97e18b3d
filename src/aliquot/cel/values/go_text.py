"""Values as Go prints them: `%q`, `%v` and `%g`."""

from decimal import Decimal
from typing import Final

from aliquot.cel.values.numbers import Uint
from aliquot.cel.values.optional import Optional
from aliquot.cel.values.value import Value

_ESCAPES: Final = {
    "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"',
}  # fmt: skip


def go_quote(text: str) -> str:
    """A text in double quotes as Go's `%q`."""
    return f'"{"".join(_escape(char) for char in text)}"'


def _escape(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00  # a byte that is no UTF-8, as Python's surrogateescape holds it
        return f"\\x{code:02x}"
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def display(value: Value) -> str:
    """A value as Go's `%v` prints it in error messages, for the simple kinds."""
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is float:
        return general(value)
    if value is None:
        return "0"  # null is an enumeration of protocol buffers
    return str(value.value if type(value) in {Uint, Optional} else value)


def general(number: float) -> str:
    """A double as Go's `%g`: the shortest form, with an exponent below 1e-4 and from a million on."""
    if number != number:  # noqa: PLR0124  NaN
        return "NaN"
    if number in {float("inf"), float("-inf")}:
        return "+Inf" if number > 0 else "-Inf"
    if number == 0:
        return "-0" if str(number)[0] == "-" else "0"
    mantissa, _, exponent = f"{Decimal(repr(number)).normalize():e}".partition("e")
    power = int(exponent)
    if -4 <= power < 6:
        return format(Decimal(repr(number)).normalize(), "f")
    return f"{mantissa}e{exponent[0]}{exponent[1:].zfill(2)}"
