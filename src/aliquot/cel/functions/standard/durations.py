"""Durations: reading, printing and taking apart, as Go does."""

from decimal import Decimal

from aliquot.cel.functions.standard.timestamps import SECOND
from aliquot.cel.values.times import Duration
from aliquot.cel.values.value import Err, Value
from aliquot.units.duration import DurationError, parse_duration


def duration_of(text: str) -> Value:
    """Read a Go duration, as in `1h30m`."""
    try:
        return Duration(parse_duration(text))
    except DurationError:
        return Err("type conversion error from 'string' to 'google.protobuf.Duration'")


def format_duration(duration: Duration) -> str:
    """Seconds in the shortest decimal form, as CEL's `string(duration)`."""
    return f"{_format_float(_seconds(duration.nanos))}s"


def _seconds(nanos: int) -> float:
    """Go's `Seconds()`: whole and fractional seconds added as floats."""
    whole = abs(nanos) // SECOND
    seconds = whole + (abs(nanos) - whole * SECOND) / 1e9
    return seconds if nanos >= 0 else -seconds


def _format_float(number: float) -> str:
    """The shortest decimal that reads back the same, without an exponent: Go's `FormatFloat(x, 'f', -1, 64)`."""
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration_part(function: str, duration: Duration) -> int:
    """A duration as a whole number of hours, minutes, seconds or milliseconds, cut towards zero."""
    unit = {"getHours": 3600 * SECOND, "getMinutes": 60 * SECOND, "getSeconds": SECOND, "getMilliseconds": 10**6}
    whole = abs(duration.nanos) // unit[function]
    return whole if duration.nanos >= 0 else -whole
