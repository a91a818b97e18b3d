"""Parts of a timestamp's date and time of day, in a time zone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from aliquot.cel.functions.standard.timestamps import SECOND
from aliquot.cel.values.numbers import INT_MAX, INT_MIN
from aliquot.cel.values.times import Timestamp
from aliquot.cel.values.value import Err, Value

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


def in_int64(nanos: int) -> bool:
    """Whether nanoseconds fit a duration."""
    return INT_MIN <= nanos <= INT_MAX
