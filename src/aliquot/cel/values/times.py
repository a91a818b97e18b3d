"""Moments and spans of time."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time in nanoseconds, within 64 bits."""

    nanos: int


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment: nanoseconds since 1970 UTC, and the offset (in seconds) with which it was written."""

    nanos: int
    offset: int = 0


TIME_MIN: Final = -62135596800 * 10**9
TIME_MAX: Final = 253402300800 * 10**9 - 1
"""The first and last nanosecond of a timestamp: years 1 to 9999."""
