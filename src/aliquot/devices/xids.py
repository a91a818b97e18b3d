"""XIDs: the errors that NVIDIA's driver tells of a GPU, in words.

Source: NVIDIA's Xid catalogue (2025-10-29) and nverror.h of the open kernel modules 595.45.04; where they differ the
catalogue counts. Numbers that aren't here are newer, or mean nothing for who runs the machine.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

_COPY_ENGINES: Final = (39, 40, 41, 70, 71, 72, 75, 76, 77, 85, *range(126, 136))
_DECODERS: Final = (68, 83, 84, 88, 96, 97, 98)
_JPEG: Final = (82, *range(99, 106))
_OPTICAL_FLOW: Final = (86, 139)
_LINK_BY_PART: Final = range(144, 149)

WORDS: Final[Mapping[int, str]] = MappingProxyType(
    {
        **dict.fromkeys(_COPY_ENGINES, "copy engine exception"),
        **dict.fromkeys(_DECODERS, "video decoder exception: the program's or the driver's fault"),
        **dict.fromkeys(_JPEG, "JPEG decoder exception: the program's or the driver's fault"),
        **dict.fromkeys(_OPTICAL_FLOW, "optical flow engine exception: the program's or the driver's fault"),
        **dict.fromkeys(
            _LINK_BY_PART, "NVLink error: what it takes differs by the part that its line in the log names"
        ),
        8: "the GPU stopped processing a program's work",
        11: "corrupted push buffer: the program's fault",
        13: "graphics engine exception: the program's fault, unless many programs meet it",
        31: "memory page fault: the program's fault",
        25: "illegal push buffer: the program's fault",
        32: "corrupted push buffer: the program's or the driver's fault",
        37: "the driver's firmware met a method that it doesn't know",
        38: "the driver's firmware took too long",
        43: "a channel was stopped after the program's own error",
        45: "channels were cleaned up, after a kill or another error",
        46: "the GPU stopped processing: reset it",
        48: "double-bit memory error: reset it",
        60: "video processor exception: the program's or the driver's fault",
        61: "the power management unit stopped at a breakpoint",
        62: "the power management unit halted: reset it",
        63: "a memory row was remapped, or a page retired: reset it when convenient",
        64: "remapping a memory row failed: reset it; if that doesn't help, replace it",
        69: "graphics class error: the program's or the driver's fault",
        74: "NVLink error",
        78: "a virtual GPU couldn't start",
        79: "the GPU fell off the bus: reboot the machine, a reset doesn't help",
        80: "corrupted data was sent to the GPU",
        92: "many corrected memory errors",
        94: "a memory error that only one program met: reset it when convenient",
        95: "a memory error that may have met every program: reset it",
        109: "a context switch took too long: reset it",
        110: "security fault: reset it",
        119: "a call to the GPU's firmware took too long: reset it, often only a reboot helps",
        120: "the GPU's firmware failed: reset it",
        121: "error on the chip-to-chip link",
        136: "NVLink training failed: reset it",
        137: "NVLink privilege fault: a program's bad access to a peer",
        140: "uncorrected memory error: reset it",
        141: "error on CUDA's fast path",
        143: "the GPU couldn't be initialised: reset it",
        149: "NVLink is down: reset it",
        150: "NVLink firmware error: reset it",
        151: "a key of confidential computing couldn't be changed: restart the virtual machine",
        154: "the recovery that the GPU needs has changed",
        155: "NVLink error that software tells of: reset it",
        156: "a resource was retired: reset it",
        157: "retiring a resource failed",
        158: "fatal timeout: reset it",
        159: "error on the coherent bus: look at what unified memory says in the log",
        160: "a channel was retired",
        161: "retiring a channel failed",
        162: "the circuit that smooths power is in use again",
        163: "the circuit that smooths power is out of use",
        164: "the circuit that smooths power has little of its life left",
        165: "the circuit that smooths power is worn out",
        167: "fatal PCIe timeout",
        168: "errors in the write-protected part of memory",
        169: "the security processor halted",
        171: "memory error in DRAM, detail of a 48",
        172: "memory error in SRAM, detail of a 48",
        173: "the chip-to-chip link is dead",
        174: "a process was killed without telling it",
        175: "error in the memory subsystem",
        176: "PCIe error that was corrected",
    }
)


class Action(StrEnum):
    """What an XID asks for."""

    IGNORE = "ignore"
    APPLICATION = "the program's own"
    """Only the program is hit: start it anew."""
    DEGRADE = "look at it"
    """The GPU goes on working."""
    RECOVERY = "as the driver says"
    """What it takes is told by the recovery that the driver wants."""
    DRAIN = "drain"
    """Nothing new on it before it's reset, or the machine rebooted."""


_IGNORED: Final = (37, 43, 45, 78, 121, 141, 160, 162, 163, 164, 165, 176)
_ENGINES: Final = (*_COPY_ENGINES, *_DECODERS, *_JPEG, *_OPTICAL_FLOW, 60)
_APPLICATION: Final = (8, 11, 13, 25, 31, 32, 69, 80, 137, 174, *_ENGINES)
_BY_RECOVERY: Final = (*_LINK_BY_PART, 154, 175)
_DRAINING: Final = (46, 48, 61, 62, 64, 79, 95, 110, 119, 120, 136, 140, 143, 149, 150, 151, 155, 156, 158)
_DRAINING_TOO: Final = (167, 168, 169, 171, 172, 173)
ACTIONS: Final[Mapping[int, Action]] = MappingProxyType(
    {
        **dict.fromkeys(_IGNORED, Action.IGNORE),
        **dict.fromkeys(_APPLICATION, Action.APPLICATION),
        **dict.fromkeys(_BY_RECOVERY, Action.RECOVERY),
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
