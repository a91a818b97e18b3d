"""When something happened.

Two clocks: the wall's, which people read and which may jump, and the machine's own since its start, which never does.
Everything that waits or counts a window goes by the second; it says nothing across a restart of the machine.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Now."""

    wall: float
    """Seconds since 1970."""
    up: float
    """Seconds since the machine was started, also while it slept."""
    boot: str
    """Which start of the machine: its boot id."""

    def since(self, up: float, boot: str) -> float | None:
        """Seconds since a moment; None: the machine was started again since."""
        return max(0.0, self.up - up) if boot == self.boot else None


def now(boot: str) -> Moment:
    """The clocks of this machine.

    Args:
        boot: its boot id.
    """
    return Moment(wall=time.time(), up=time.clock_gettime(time.CLOCK_BOOTTIME), boot=boot)


def rfc3339(wall: float) -> str:
    """As Kubernetes writes it: `2026-12-01T16:00:00Z`."""
    return datetime.fromtimestamp(int(wall), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
