"""What the operator wants done about faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

from aliquot.devices.xids import Action, action_of

Effect = Literal["None", "NoSchedule", "NoExecute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """When something that a GPU survives is too often."""

    times: int
    within_s: float


REPEATS: Final[Mapping[int, Repeat]] = MappingProxyType(
    {
        74: Repeat(times=2, within_s=3600.0),
        109: Repeat(times=2, within_s=3600.0),
    }
)
"""NVLink errors, and context switches that took too long: once is looked at, again is drained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The defaults keep new claims off a GPU that NVIDIA's catalogue wants reset, and end nothing that runs."""

    actions: Mapping[int, Action] = field(default_factory=dict[int, Action])
    """By XID, where the operator knows better than the table."""
    repeats: Mapping[int, Repeat] = field(default_factory=lambda: REPEATS)
    effects: Mapping[str, Effect] = field(default_factory=dict[str, Effect])
    """By the taint's key, of what keeps claims off; NoSchedule where it isn't given. NoExecute ends what runs."""
    shown_s: float = 3600.0
    """How long after it was last told of something is shown that the GPU survives."""
    drained_s: float | None = None
    """After so long without a new one a draining XID is let go although no reset was seen; None: never by time."""
    after_reset: bool = True
    """Whether a reset or a reload of the driver is enough; False: only a restart of the machine."""

    def action_of(self, xid: int) -> Action:
        """What an XID asks for."""
        return self.actions.get(xid, action_of(xid))

    def effect_of(self, key: str) -> Effect:
        """Of a taint that keeps claims off."""
        return self.effects.get(key, "NoSchedule")
