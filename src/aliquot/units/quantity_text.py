"""The grammar of quantities: from a text to its exact amount, as Go's `ParseQuantity` reads it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class QuantityError(ValueError):
    """A text that isn't a Kubernetes quantity; the message says what is wrong and what to write."""


class Format(StrEnum):
    """How a quantity was written, and so how it's printed."""

    BINARY_SI = "BinarySI"
    DECIMAL_SI = "DecimalSI"
    DECIMAL_EXPONENT = "DecimalExponent"


@dataclass(frozen=True, slots=True)
class Form:
    """How a quantity was written, as far as Go's answers depend on it."""

    format: Format = Format.DECIMAL_SI
    scale: int = 0
    """The power of ten at which Go holds the mantissa; below -9 only for a zero of many decimals, and its sums."""
    big: bool = False
    """Whether Go holds it as a big decimal, which has no int64 form."""


Reading = tuple[int, Form, str | None]
"""Nano-units, form, and the text where Go prints it back unchanged."""

LARGEST: Final = 1000
"""The most digits and the largest exponent that are read; Go has no such limit, nor has it a use for such numbers."""

_INT64_MAX: Final = 2**63 - 1
_NANO: Final = -9
_MOST_DIGITS: Final = 18  # what always fits an int64: up to here Go holds a mantissa and a scale
_MOST_BINARY_DIGITS: Final = 14  # with a suffix of 2**10 counted as three digits
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL: Final = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_POWERS: Final = tuple(10**n for n in range(40))
_UNITS: Final = {
    **{name: (10 ** (power + 9), Form(scale=power), _MOST_DIGITS, 1000) for name, power in _DECIMAL.items()},
    **{
        name: (10**9 << power, Form(Format.BINARY_SI), _MOST_BINARY_DIGITS - power * 3 // 10, 8)
        for name, power in _BINARY.items()
    },
}
"""Suffix -> nano-units, form, the most digits that surely fit 64 bits, the factor whose multiples Go prints anew."""
_SIGNED_INT: Final = re.compile("[+-]?[0-9]+")

# Possessive throughout: Go's scanner never goes back, and neither must a hostile text make this one.
_QUANTITY: Final = re.compile(r"([+-]?+)(0*+)([0-9]*+)(?:\.([0-9]*+))?+([eEinumkKMGTP]*+[-+]?+[0-9]*+)")

_EXPECTED: Final = (
    "write a number and one of the suffixes n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or e3, as in 500m or 8Gi"
)


def read(text: str) -> Reading:
    """Read one quantity; see `aliquot.units.quantity.Quantity.parse`."""
    # The common forms first: a few digits and a suffix.
    number = text.rstrip("KMGTPEkinum")
    unit = _UNITS.get(text[len(number) :])
    if unit is not None and number.isdecimal() and number.isascii() and number[0] != "0":
        nanos, form, most, factor = unit
        if len(number) <= most:
            mantissa = int(number)
            return mantissa * nanos, form, text if mantissa % factor else None
    return _read_any(text)


def _read_any(text: str) -> Reading:
    match = _QUANTITY.fullmatch(text)
    if match is None or not text:
        raise QuantityError(_explain(text))
    sign, zeros, whole, fraction, suffix = match.groups("")
    digits = (whole or "0") + fraction
    if len(digits) > LARGEST:
        raise QuantityError(f"a quantity of {len(digits)} digits is longer than the {LARGEST} that are read")
    mantissa = -int(digits) if sign == "-" else int(digits)
    power = _BINARY.get(suffix)
    if power is not None:
        reading = _binary(text, mantissa, len(digits) - len(fraction), len(fraction), power)
    else:
        exponent = _DECIMAL.get(suffix)
        fmt = Format.DECIMAL_SI if exponent is not None else Format.DECIMAL_EXPONENT
        scale = (_exponent(text, suffix) if exponent is None else exponent) - len(fraction)
        if len(digits) <= _MOST_DIGITS and scale >= _NANO:
            kept = scale % 3 == 0 and digits[0] != "0" and not digits.endswith("000")
            return mantissa * power_of_ten(scale + 9), Form(fmt, scale), text if kept else None
        reading = _round_up(mantissa, scale), Form(fmt, _NANO if mantissa else scale, big=True), None
    if reading[1].big and not (zeros or whole or fraction):
        raise QuantityError(_explain(text))  # Go reads "Ki" as zero, but not "Ei": only its slow path wants a digit
    return reading


def _binary(text: str, mantissa: int, wholes: int, fractions: int, power: int) -> Reading:
    if not fractions and wholes + power * 3 // 10 <= _MOST_BINARY_DIGITS:
        return (mantissa << power) * 10**9, Form(Format.BINARY_SI), text if mantissa & 7 else None
    if mantissa == 0:
        return 0, Form(Format.BINARY_SI, -fractions, big=True), None
    nanos = _round_up(mantissa << power, -fractions)
    if abs(nanos) > _INT64_MAX * 10**9:
        return (_INT64_MAX if nanos > 0 else -_INT64_MAX) * 10**9, Form(Format.BINARY_SI, 0, big=True), None
    fmt = Format.BINARY_SI if abs(nanos) >= 10**9 else Format.DECIMAL_SI
    return nanos, Form(fmt, _NANO, big=True), None


def _round_up(mantissa: int, scale: int) -> int:
    """Nano-units, rounded away from zero."""
    if scale >= _NANO:
        return mantissa * power_of_ten(scale + 9)
    divisor = power_of_ten(_NANO - scale)
    return -(-mantissa // divisor) if mantissa >= 0 else mantissa // divisor


def power_of_ten(exponent: int) -> int:
    """10**exponent, for an exponent from 0 up."""
    return _POWERS[exponent] if exponent < len(_POWERS) else int(10**exponent)


def _exponent(text: str, suffix: str) -> int:
    if suffix[0] not in "eE" or _SIGNED_INT.fullmatch(suffix, 1) is None:
        raise QuantityError(_explain(text))
    digits = suffix[1:].lstrip("+-").lstrip("0") or "0"
    if len(digits) > len(str(LARGEST)) or int(digits) > LARGEST:
        raise QuantityError(f"{_short(text)} has an exponent beyond the {LARGEST} that are read")
    return -int(digits) if suffix[1] == "-" else int(digits)


def _explain(text: str) -> str:
    """Say what is wrong with a text and what to write instead."""
    if not text:
        return f"an empty text is not a quantity: {_EXPECTED}"
    said = f"{_short(text)} is not a quantity: "
    if text != text.strip():
        return f"{said}leave out the spaces around it"
    suffix = text.lstrip("+-.0123456789")
    misspelt = suffix[:1] if suffix[1:] in {"", "b", "B", "i", "iB"} else ""
    if suffix[1:] in {"B", "iB"} and suffix[:1] in "kMGTPE":
        return f"{said}the suffix has no B, write {suffix[:-1]}"
    if misspelt.lower() in {"k", "m", "g", "t", "p"} and suffix not in _DECIMAL and suffix not in _BINARY:
        upper = misspelt.upper()
        return f"{said}write {'k' if upper == 'K' else upper} for powers of 1000 or {upper}i for powers of 1024"
    return f"{said}{_EXPECTED}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
