"""Timestamps: reading, printing and taking apart, as Go does."""

import re
from calendar import isleap
from datetime import date, datetime, timedelta
from typing import Final

from aliquot.cel.operators.arithmetic import TIMESTAMP_OVERFLOW
from aliquot.cel.values.times import TIME_MAX, TIME_MIN, Timestamp
from aliquot.cel.values.value import Err, Value

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
    """`int(moment)`: whole seconds since 1970; what is beyond 64 bits wraps around, as in Go."""
    return (moment.nanos // SECOND + 2**63) % 2**64 - 2**63


CYCLE: Final = 146_097 * 86_400
"""Seconds in 400 years, after which the calendar repeats."""
_YEAR_1: Final = TIME_MIN // SECOND


def local_time(seconds: int) -> tuple[datetime, int]:
    """Date and time of seconds since 1970, offset included, and years to add: the date is in a year that Python has."""
    cycles, within = divmod(seconds - _YEAR_1, CYCLE)
    return datetime(1, 1, 1) + timedelta(seconds=within), cycles * 400  # noqa: DTZ001  the offset is added


def format_timestamp(moment: Timestamp) -> str:
    """RFC 3339 with nanoseconds as far as needed, in the offset it was written with."""
    nanos = moment.nanos % SECOND
    local, years = local_time(seconds_of(moment) + moment.offset)
    year = local.year + years
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    sign, offset = ("-", -moment.offset) if moment.offset < 0 else ("+", moment.offset)
    zone = f"{sign}{offset // 3600:02d}:{offset % 3600 // 60:02d}" if offset else "Z"
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{local:%m-%dT%H:%M:%S}{fraction}{zone}"
