"""Parts of a timestamp's date and time of day, in a time zone."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from aliquot.cel.functions.standard.timestamps import CYCLE, SECOND, local_time, seconds_of
from aliquot.cel.values.numbers import INT_MAX, INT_MIN
from aliquot.cel.values.times import TIME_MAX, TIME_MIN, Timestamp
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

_EARLIEST: Final = TIME_MIN // SECOND + 2 * 86_400
_LATEST: Final = TIME_MAX // SECOND - 2 * 86_400
"""Local dates of moments between these are within the years 1 to 9999."""


def part_of(function: str, moment: Timestamp, zone: str = "UTC") -> Value:
    """A part of a moment's date or time of day in a zone: a name of the zone database, or an offset like `+01:30`."""
    seconds, nanos = seconds_of(moment), moment.nanos % SECOND
    offset = _offset(zone, seconds)
    if isinstance(offset, Err):
        return offset
    local, years = local_time(seconds + offset)
    return PARTS[function](local, years, nanos)


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
    near = max(seconds, _EARLIEST)
    if near > _LATEST:
        near -= -((_LATEST - near) // CYCLE) * CYCLE  # the zone's rules repeat with the calendar
    local = datetime.fromtimestamp(near, tz)
    return (local.replace(tzinfo=UTC) - datetime.fromtimestamp(near, UTC)) // timedelta(seconds=1)


def _is_int(text: str) -> bool:
    digits = text[1:] if text[:1] in {"+", "-"} else text
    return digits.isascii() and digits.isdigit()


def in_int64(nanos: int) -> bool:
    """Whether nanoseconds fit a duration."""
    return INT_MIN <= nanos <= INT_MAX
