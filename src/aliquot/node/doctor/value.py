"""One check, and how bad it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """From good to bad; `UNKNOWN` is neither."""

    OK = "ok"
    UNKNOWN = "unknown"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was looked at."""

    name: str
    status: Status
    found: str
    why: str = ""
    """Why that matters; empty where it's good."""
    fix: tuple[str, ...] = ()
    """What to do, a line each."""


def worst(checks: Iterable[Check]) -> Status:
    """Of all of them."""
    order = tuple(Status)
    return max((check.status for check in checks), key=order.index, default=Status.OK)
