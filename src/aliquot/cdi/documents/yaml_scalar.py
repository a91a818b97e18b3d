"""What a plain YAML word means, and how numbers become text, as CDI's readers have it.

Source: sigs.k8s.io/yaml 1.4 with its YAML 1.1 decoder, which the Go library reads specs with: `on` and `y` are
booleans, 0600 and 0o600 are octal, base 60 and dates stay text.
"""

import base64
import binascii
import re
import struct
from decimal import Decimal

Scalar = str | int | float | bool | None

TAG = "tag:yaml.org,2002:"
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_HINTS = frozenset("+-0123456789yYnNtTfFoO~.")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([Tt ].*)?", re.ASCII)
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[oO]?(?P<oct>[0-7]+)|0[bB](?P<bin>[01]+)|(?P<dec>0|[1-9][0-9]*))"
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_BASES = {"hex": 16, "oct": 8, "bin": 2, "dec": 10}
MIN_INT, MAX_UINT = -(2**63), 2**64 - 1


def resolve(text: str, tag: str | None, *, plain: bool) -> Scalar:
    """The value of a scalar; `plain` without quotes, `tag` as written.

    Raises:
        ValueError: the tag asks for another type than the text has.
    """
    if tag is None and not plain:
        return text
    short = tag.removeprefix(TAG) if tag is not None and tag.startswith(TAG) else tag
    if short == "binary":
        try:
            return base64.b64decode(text, validate=True).decode()
        except (binascii.Error, ValueError) as error:
            raise ValueError("!!binary has bad base64 text") from error
    if short not in (None, "bool", "int", "float", "null", "timestamp"):
        return text
    value = _plain(text)
    if short is None or (short == "timestamp" and _DATE.fullmatch(text)):
        return value
    kind = "null" if value is None else type(value).__name__
    if short == "float" and kind == "int":
        return float(value or 0)
    if short != kind:
        raise ValueError(f"{text!r} isn't a {short}")
    return value


def _plain(text: str) -> Scalar:
    if text and text[0] not in _HINTS:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return float(text) if _FLOAT.fullmatch(text) else text
    if text[0] not in "+-0123456789" or _DATE.fullmatch(text):
        return text
    digits = text.replace("_", "")
    found = _INTEGER.fullmatch(digits)
    if found:
        kind = next(kind for kind in _BASES if found[kind] is not None)
        number = int(found["sign"] + found[kind], _BASES[kind]) if len(digits) <= 70 else MAX_UINT + 1
        if MIN_INT <= number <= MAX_UINT and not (number > 2**63 - 1 and found["sign"]):
            return number
    if _FLOAT.fullmatch(digits):
        real = float(digits)
        return text if real in {float("inf"), float("-inf")} else real
    return text


def float_text(number: float) -> str:
    """A float as the text that it becomes where a string is expected: the shortest that gives the same 32-bit float."""
    if number != number:  # noqa: PLR0124 the one value that differs from itself
        return "NaN"
    narrow: float = struct.unpack("f", struct.pack("f", number))[0]  # infinite where it's too large
    if narrow in (float("inf"), float("-inf")):
        return "+Inf" if narrow > 0 else "-Inf"
    shortest = next(
        text
        for text in (f"{narrow:.{digits}e}" for digits in range(17))
        if struct.unpack("f", struct.pack("f", float(text)))[0] == narrow
    )
    mantissa, _, power = shortest.partition("e")
    exponent = int(power)
    sign = "-" if mantissa.startswith("-") else ""
    if exponent < -4 or exponent >= 6:
        return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
    return sign + format(Decimal(shortest).copy_abs(), "f")


def whole(number: float) -> int | None:
    """The whole number that a float stands for in JSON text, or None."""
    if not number.is_integer() or abs(number) >= 1e21:  # larger ones are written with an exponent
        return None
    return int(Decimal(repr(number)))
