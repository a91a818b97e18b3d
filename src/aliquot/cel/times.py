"""Timestamps and durations: reading, printing and taking apart, as Go does."""

import re
from calendar import isleap
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from aliquot.cel.operators import TIME_MAX, TIME_MIN, TIMESTAMP_OVERFLOW
from aliquot.cel.values import INT_MAX, INT_MIN, Duration, Err, Timestamp, Value
from aliquot.units.duration import DurationError, parse_duration

SECOND: Final = 10**9
_EPOCH: Final = date(1970, 1, 1).toordinal()
_RFC3339: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)([.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)
_MONTH_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def timestamp_of(text: str) -> Value:
    """Read RFC 3339; an error where Go's time.Parse refuses it or the year isn't within 1 to 9999."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return _unreadable()
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    offset_hours, offset_minutes = int(match[9] or 0), int(match[10] or 0)
    if not (1 <= month <= 12 and hour < 24 and minute < 60 and second < 60):
        return _unreadable()
    if offset_hours > 24 or offset_minutes > 60:
        return _unreadable()
    if not 1 <= day <= _MONTH_DAYS[month - 1] + (month == 2 and isleap(year)):
        return _unreadable()
    days = date(year, month, day).toordinal() - _EPOCH if year else -_EPOCH - 366 + _day_of_leap_year(month, day)
    offset = (offset_hours * 3600 + offset_minutes * 60) * (-1 if match[8] == "-" else 1)
    fraction = int((match[7] or ".")[1:10].ljust(9, "0"))
    seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    nanos = seconds * SECOND + fraction
    return Timestamp(nanos, offset) if TIME_MIN <= nanos <= TIME_MAX else TIMESTAMP_OVERFLOW


def _day_of_leap_year(month: int, day: int) -> int:
    """The day's number in year 0, which Python doesn't have; counted from 1."""
    return date(4, month, day).timetuple().tm_yday


def _unreadable() -> Err:
    return Err("type conversion error from 'string' to 'google.protobuf.Timestamp'")


def timestamp_of_seconds(seconds: int) -> Value:
    """A moment given in seconds since 1970."""
    nanos = seconds * SECOND
    return Timestamp(nanos) if TIME_MIN <= nanos <= TIME_MAX else TIMESTAMP_OVERFLOW


def seconds_of(moment: Timestamp) -> int:
    """`int(moment)`: whole seconds since 1970."""
    return moment.nanos // SECOND


def duration_of(text: str) -> Value:
    """Read a Go duration, as in `1h30m`."""
    try:
        return Duration(parse_duration(text))
    except DurationError:
        return Err("type conversion error from 'string' to 'google.protobuf.Duration'")


def format_duration(duration: Duration) -> str:
    """Seconds in the shortest decimal form, as CEL's `string(duration)`."""
    return f"{format_float(_seconds(duration.nanos))}s"


def _seconds(nanos: int) -> float:
    """Go's `Seconds()`: whole and fractional seconds added as floats."""
    whole = abs(nanos) // SECOND
    seconds = whole + (abs(nanos) - whole * SECOND) / 1e9
    return seconds if nanos >= 0 else -seconds


def format_float(number: float) -> str:
    """The shortest decimal that reads back the same, without an exponent: Go's `FormatFloat(x, 'f', -1, 64)`."""
    if number in {float("inf"), float("-inf")}:
        return "+Inf" if number > 0 else "-Inf"
    if number != number:  # noqa: PLR0124  NaN
        return "NaN"
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_timestamp(moment: Timestamp) -> str:
    """RFC 3339 with nanoseconds as far as needed, in the offset it was written with."""
    seconds, nanos = divmod(moment.nanos, SECOND)
    local = datetime(1, 1, 1) + timedelta(seconds=seconds + moment.offset + 62135596800)  # noqa: DTZ001  offset added
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    sign, offset = ("-", -moment.offset) if moment.offset < 0 else ("+", moment.offset)
    zone = f"{sign}{offset // 3600:02d}:{offset % 3600 // 60:02d}" if offset else "Z"
    return f"{local.year:04d}-{local:%m-%dT%H:%M:%S}{fraction}{zone}"


Part = Callable[[datetime, int, int], int]
"""(local time, years to add to it, nanoseconds within the second) -> number."""

PARTS: Final[dict[str, Part]] = {
    "getFullYear": lambda t, years, _: t.year + years,
    "getMonth": lambda t, _, __: t.month - 1,
    "getDayOfYear": lambda t, _, __: t.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda t, _, __: t.day - 1,
    "getDate": lambda t, _, __: t.day,
    "getDayOfWeek": lambda t, _, __: t.isoweekday() % 7,
    "getHours": lambda t, _, __: t.hour,
    "getMinutes": lambda t, _, __: t.minute,
    "getSeconds": lambda t, _, __: t.second,
    "getMilliseconds": lambda _, __, nanos: nanos // 1_000_000,
}

_CYCLE: Final = 146_097 * 86_400
"""Seconds in 400 years, after which the calendar repeats."""
_YEAR_1: Final = -62_135_596_800
_YEAR_10000: Final = 253_402_300_800


def part_of(function: str, moment: Timestamp, zone: str = "UTC") -> Value:
    """A part of a moment's date or time of day in a zone: a name of the zone database, or an offset like `+01:30`."""
    seconds, nanos = divmod(moment.nanos, SECOND)
    offset = _offset(zone, seconds)
    if isinstance(offset, Err):
        return offset
    cycles, within = divmod(seconds + offset - _YEAR_1, _CYCLE)  # a zone may lead out of the years 1 to 9999
    return PARTS[function](datetime(1, 1, 1) + timedelta(seconds=within), cycles * 400, nanos)  # noqa: DTZ001  added


def _offset(zone: str, seconds: int) -> int | Err:
    """Seconds east of Greenwich."""
    if ":" in zone:
        hours, _, minutes = zone.partition(":")
        for number in (hours, minutes):
            if not _is_int(number):
                return Err(f'strconv.Atoi: parsing "{number}": invalid syntax')
            if not in_int64(int(number[-30:])):
                return Err(f'strconv.Atoi: parsing "{number}": value out of range')
        return int(hours) * 3600 + (-int(minutes) if zone[0] == "-" else int(minutes)) * 60
    if zone in {"", "UTC"}:
        return 0
    if ".." in zone or zone[0] in "/\\":
        return Err("time: invalid location name")
    try:
        tz = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return Err(f"unknown time zone {zone}")
    near = min(max(seconds, _YEAR_1 + 2 * 86_400), _YEAR_10000 - 2 * 86_400)  # local dates must stay within the years
    local = datetime.fromtimestamp(near, tz)
    return (local.replace(tzinfo=UTC) - datetime.fromtimestamp(near, UTC)) // timedelta(seconds=1)


def _is_int(text: str) -> bool:
    digits = text[1:] if text[:1] in {"+", "-"} else text
    return digits.isascii() and digits.isdigit()


def duration_part(function: str, duration: Duration) -> int:
    """A duration as a whole number of hours, minutes, seconds or milliseconds, cut towards zero."""
    unit = {"getHours": 3600 * SECOND, "getMinutes": 60 * SECOND, "getSeconds": SECOND, "getMilliseconds": 10**6}
    whole = abs(duration.nanos) // unit[function]
    return whole if duration.nanos >= 0 else -whole


def in_int64(nanos: int) -> bool:
    """Whether nanoseconds fit a duration."""
    return INT_MIN <= nanos <= INT_MAX
