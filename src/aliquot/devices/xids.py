"""XIDs: the errors that NVIDIA's driver tells of a GPU, in words.

Source: NVIDIA's Xid catalogue (2025-10-29) and nverror.h of the open kernel modules 595.45.04; where they differ the
catalogue counts. Numbers that aren't here are newer, or mean nothing for who runs the machine.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

WORDS: Final[Mapping[int, str]] = MappingProxyType(
    {
        13: "graphics engine exception: the program's fault, unless many programs meet it",
        31: "memory page fault: the program's fault",
        32: "corrupted push buffer: the program's or the driver's fault",
        43: "a channel was stopped after the program's own error",
        45: "channels were cleaned up, after a kill or another error",
        46: "the GPU stopped processing: reset it",
        48: "double-bit memory error: reset it",
        61: "the power management unit stopped at a breakpoint",
        62: "the power management unit halted: reset it",
        63: "a memory row was remapped, or a page retired: reset it when convenient",
        64: "remapping a memory row failed: reset it; if that doesn't help, replace it",
        68: "video decoder exception: the program's or the driver's fault",
        69: "graphics class error: the program's or the driver's fault",
        74: "NVLink error",
        78: "a virtual GPU couldn't start",
        79: "the GPU fell off the bus: reboot the machine, a reset doesn't help",
        92: "many corrected memory errors",
        94: "a memory error that only one program met: reset it when convenient",
        95: "a memory error that may have met every program: reset it",
        109: "a context switch took too long: reset it",
        110: "security fault: reset it",
        119: "a call to the GPU's firmware took too long: reset it, often only a reboot helps",
        120: "the GPU's firmware failed: reset it",
        136: "NVLink training failed: reset it",
        137: "NVLink privilege fault: a program's bad access to a peer",
        140: "uncorrected memory error: reset it",
        143: "the GPU couldn't be initialised: reset it",
        149: "NVLink is down: reset it",
        150: "NVLink firmware error: reset it",
        154: "the recovery that the GPU needs has changed",
        156: "an NVLink resource was retired: reset it",
        158: "fatal NVLink timeout: reset it",
        167: "fatal PCIe timeout",
        171: "memory error in DRAM, detail of a 48",
        172: "memory error in SRAM, detail of a 48",
        173: "the chip-to-chip link is dead",
    }
)


class Action(StrEnum):
    """What an XID asks for."""

    IGNORE = "ignore"
    APPLICATION = "the program's own"
    """Only the program is hit: start it anew."""
    DEGRADE = "look at it"
    """The GPU goes on working; a reset is due when convenient."""
    DRAIN = "drain"
    """Nothing new on it before it's reset, or the machine rebooted."""


_IGNORED: Final = (43, 45, 78, 121, 141, 160, 162, 163, 164, 165, 176)
_APPLICATION: Final = (13, 31, 32, 68, 69, 137, 174)
_DRAINING: Final = (46, 48, 61, 62, 64, 79, 95, 110, 119, 120, 136, 140, 143, 149, 150, 151, 155, 156, 158)
_DRAINING_TOO: Final = (167, 168, 169, 171, 172, 173)
ACTIONS: Final[Mapping[int, Action]] = MappingProxyType(
    {
        **dict.fromkeys(_IGNORED, Action.IGNORE),
        **dict.fromkeys(_APPLICATION, Action.APPLICATION),
        **dict.fromkeys((*_DRAINING, *_DRAINING_TOO), Action.DRAIN),
    }
)
"""Where NVIDIA's catalogue wants a reset before anything else may run, DRAIN; those not told are to be looked at."""


def action_of(number: int) -> Action:
    """What an XID asks for; one that isn't known is to be looked at."""
    return ACTIONS.get(number, Action.DEGRADE)


def words_of(number: int) -> str:
    """What an XID means, in a few words with what to do; empty where it isn't known."""
    return WORDS.get(number, "")
