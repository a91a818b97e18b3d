"""Conditions: what a controller last said of an object, and when."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """An entry of status.conditions. Times are RFC 3339 strings as the API prints them, or None."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    changed: str | None = None
    """lastTransitionTime: when the status last changed (a new message alone doesn't move it)."""
    probed: str | None = None
    """lastProbeTime (pods), lastUpdateTime (Deployments): when it was last looked at."""


def condition_of(conditions: Iterable[Condition], kind: str) -> Condition | None:
    """The condition of this type; None: nobody wrote one."""
    return next((one for one in conditions if one.type == kind), None)
