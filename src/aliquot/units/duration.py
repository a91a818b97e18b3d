"""Durations in nanoseconds, read and printed as Go's time.ParseDuration and Duration.String do."""

import re
from typing import Final

NANOSECOND: Final = 1
MICROSECOND: Final = 1_000
MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE

_LARGEST: Final = 2**63
_UNITS: Final = {
    "ns": NANOSECOND,
    "us": MICROSECOND,
    "µs": MICROSECOND,  # U+00B5, micro sign
    "μs": MICROSECOND,  # U+03BC, Greek mu
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
}
_TERM: Final = re.compile(r"([0-9]*+)(\.[0-9]*+)?+([^.0-9]*+)")


class DurationError(ValueError):
    """A text that isn't a duration; the message says what is wrong and what to write."""


def parse_duration(text: str) -> int:
    """Read a duration such as `1h30m`, `1.5s` or `-250ms` into nanoseconds.

    Raises:
        DurationError: it isn't one, or doesn't fit 64 bits.
    """
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in {"-", "+"} else text
    if rest == "0":
        return 0
    if not rest:
        raise DurationError(f"{text!r} is not a duration: write numbers with units, as in 1h30m or 250ms")
    total, position = 0, 0
    while position < len(rest):
        match = _TERM.match(rest, position)
        assert match is not None  # every part of the pattern may be empty
        position = match.end()
        total += _nanoseconds(text, match[1], match[2] or "", match[3])
        if total > _LARGEST:
            raise _too_long(text)
    if total == _LARGEST and not negative:
        raise _too_long(text)
    return -total if negative else total


def _nanoseconds(text: str, whole: str, fraction: str, unit_name: str) -> int:
    decimals = fraction[1:]
    if not whole and not decimals:
        raise DurationError(f"{text!r} is not a duration: a number is missing before {(fraction + unit_name)!r}")
    if not unit_name:
        raise DurationError(f"{text!r} is not a duration: a unit is missing, one of ns, us, ms, s, m, h")
    unit = _UNITS.get(unit_name)
    if unit is None:
        raise DurationError(f"{text!r} is not a duration: {unit_name!r} is no unit; write ns, us, ms, s, m or h")
    digits = whole.lstrip("0")
    if len(digits) > 19 or int(digits or "0") > _LARGEST // unit:
        raise _too_long(text)
    nanoseconds = int(digits or "0") * unit
    number, scale = _leading_fraction(decimals)
    if number:
        # Go's own float arithmetic: exact to the nanosecond for fractions of an hour, and cut, not rounded.
        nanoseconds += int(float(number) * (float(unit) / scale))
    return nanoseconds


def _leading_fraction(decimals: str) -> tuple[int, float]:
    """The decimals as a number and the power of ten to divide it by; those beyond 63 bits are dropped, as in Go."""
    number, scale = 0, 1.0
    for digit in decimals:
        if number > (_LARGEST - 1) // 10:
            break
        longer = number * 10 + int(digit)
        if longer > _LARGEST:
            break
        number, scale = longer, scale * 10
    return number, scale


def _too_long(text: str) -> DurationError:
    return DurationError(f"{text!r} is not a duration: it is longer than 2562047h, which is all that 64 bits hold")


def format_duration(nanoseconds: int) -> str:
    """Print nanoseconds: `1h30m0s`, `1.5s`, `250ms`, `0s`."""
    sign, left = ("-", -nanoseconds) if nanoseconds < 0 else ("", nanoseconds)
    if left == 0:
        return "0s"
    if left < SECOND:
        name, unit = ("ns", 1) if left < MICROSECOND else ("µs", 1_000) if left < MILLISECOND else ("ms", 1_000_000)
        return f"{sign}{_decimal(left, unit)}{name}"
    minutes, seconds = divmod(left, MINUTE)
    hours, minutes_left = divmod(minutes, 60)
    before = f"{hours}h{minutes_left}m" if hours else f"{minutes_left}m" if minutes else ""
    return f"{sign}{before}{_decimal(seconds, SECOND)}s"


def _decimal(number: int, unit: int) -> str:
    whole, fraction = divmod(number, unit)
    if not fraction:
        return str(whole)
    return f"{whole}.{str(fraction).zfill(len(str(unit)) - 1).rstrip('0')}"
