"""Taints of a host's GPUs, from how they stand at one moment.

The driver's own word on recovery counts most: where it wants nothing any more, an XID of the past is only shown. Where
it says nothing (older drivers), XIDs count by what NVIDIA's catalogue wants done.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from aliquot.devices.gpu import Gpu, Recovery
from aliquot.devices.survey import Survey, Xid
from aliquot.devices.xids import Action, action_of
from aliquot.dra.device import DeviceTaint

XID: Final = "gpu.nvidia.com/xid"
LOST: Final = "gpu.nvidia.com/gpu-lost"
RECOVERY: Final = "gpu.nvidia.com/recovery"
MEMORY: Final = "gpu.nvidia.com/memory"
UNMONITORED: Final = "gpu.nvidia.com/unmonitored"
LINK_DOWN: Final = "nic.aliquot.dev/link-down"
"""Those of XIDs, of lost GPUs and of unmonitored ones are NVIDIA's; the others are this project's own."""

SHOWN: Final = "None"
NO_SCHEDULE: Final = "NoSchedule"

RECOVERIES: Final = {
    Recovery.RESET: "reset",
    Recovery.REBOOT: "reboot",
    Recovery.DRAIN_P2P: "drain-p2p",
    Recovery.DRAIN_AND_RESET: "drain-and-reset",
    Recovery.RECOVER_IMEX: "recover-imex",
    Recovery.BUS_RESET: "bus-reset",
    Recovery.SYSTEM_REBOOT: "system-reboot",
    Recovery.UNKNOWN: "unknown",
}


@dataclass(frozen=True, slots=True)
class Taints:
    """What keeps claims off one GPU, or is shown with it."""

    gpu: tuple[DeviceTaint, ...] = ()
    """Of the whole GPU and of everything on it."""
    instances: Mapping[int, tuple[DeviceTaint, ...]] = field(default_factory=dict[int, tuple[DeviceTaint, ...]])
    """By the id of a MIG instance: its own beside the GPU's."""


def taints_by(survey: Survey) -> Mapping[str, Taints]:
    """By UUID, what one survey alone tells."""
    return {gpu.uuid: Taints(taints_of(gpu, survey), instance_taints(gpu, survey)) for gpu in survey.gpus}


def taints_of(gpu: Gpu, survey: Survey) -> tuple[DeviceTaint, ...]:
    """The taints of a whole GPU and of everything on it."""
    return tuple(_taints(gpu, survey))


def instance_taints(gpu: Gpu, survey: Survey) -> Mapping[int, tuple[DeviceTaint, ...]]:
    """By the id of a MIG instance: what the driver blames on that instance alone, the last one of each kind."""
    found: dict[int, dict[str, DeviceTaint]] = {}
    for xid in _of(gpu, survey):
        if xid.gi is not None and action_of(xid.number) is not Action.IGNORE:
            found.setdefault(xid.gi, {})[SHOWN] = DeviceTaint(XID, SHOWN, str(xid.number))
    return {number: tuple(by_effect.values()) for number, by_effect in found.items()}


def _taints(gpu: Gpu, survey: Survey) -> Iterator[DeviceTaint]:
    if gpu.recovery is not None and gpu.recovery is not Recovery.NONE:
        yield DeviceTaint(RECOVERY, NO_SCHEDULE, RECOVERIES[gpu.recovery])
    if gpu.rows_failed:
        yield DeviceTaint(MEMORY, NO_SCHEDULE, "row-remap-failed")
    last: dict[str, int] = {}
    for xid in _of(gpu, survey):
        action = action_of(xid.number)
        drains = action is Action.DRAIN and gpu.recovery is None
        if action is not Action.IGNORE and (xid.gi is None or drains):
            last[NO_SCHEDULE if drains else SHOWN] = xid.number
    for effect, number in last.items():
        yield DeviceTaint(XID, effect, str(number))


def _of(gpu: Gpu, survey: Survey) -> Iterator[Xid]:
    return (xid for xid in survey.xids if xid.gpu == gpu.uuid)
