"""The state of a node's GPUs, and its bytes: it outlives the agent, since what a GPU has met isn't told twice."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import msgspec

from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Driver, Silence

VERSION: Final = 1


class Weight(StrEnum):
    """What a fault means for the GPU."""

    SHOWN = "shown"
    """It's told of, and the GPU goes on being given out."""
    KEEPS_OFF = "keeps off"
    """No new claim gets the GPU."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something that's wrong with a GPU, as long as it's wrong."""

    key: str
    """The taint's."""
    value: str
    """The taint's: the XID's number, or a word."""
    weight: Weight
    message: str
    """For people."""
    since: float
    """By the wall clock: it becomes timeAdded and stays what it is."""
    up: float
    boot: str
    """When it was last told of, by the machine's own clock."""
    gi: int | None = None
    """The MIG instance that alone has it."""
    mended: bool = False
    """The GPU was reset since, or its driver loaded again."""

    @property
    def what(self) -> tuple[str, str, Weight, int | None]:
        """What it's told from others by."""
        return self.key, self.value, self.weight, self.gi


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An XID that may be told again, and when."""

    number: int
    up: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuHealth:
    """One GPU."""

    gpu: Gpu
    """As it was last seen: a lost one stays published, with its taint."""
    boot: str
    """The start of the machine in which it was last asked."""
    silence: Silence | None = None
    """Why it can't be asked now."""
    words: str = ""
    """What was said of the silence."""
    faults: tuple[Fault, ...] = ()
    """In the order in which they came."""
    recent: tuple[Heard, ...] = ()
    """What counts towards a repeat, in this start of the machine."""
    logged: tuple[int, ...] = ()
    """XIDs of the kernel's log that were taken in, in this start of the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeHealth:
    """All GPUs that the node has, or had since its machine was started, by UUID."""

    gpus: Mapping[str, GpuHealth] = field(default_factory=dict[str, GpuHealth])
    driver: Driver | None = None
    """The driver, as it last answered."""
    blind: str = ""
    """Why nothing could be asked of the host the last time."""
    version: int = VERSION

    def find(self, name: str | None) -> str | None:
        """The UUID of a GPU by its UUID or its PCI address."""
        if name in self.gpus:
            return name
        return next((uuid for uuid, each in self.gpus.items() if each.gpu.pci == name), None)


def encode(health: NodeHealth) -> bytes:
    """Its bytes."""
    return msgspec.json.encode(health)


def decode(data: bytes) -> NodeHealth:
    """The state that bytes hold.

    Raises:
        ValueError: they hold none, or that of another version.
    """
    try:
        found = msgspec.json.decode(data, type=NodeHealth)
    except msgspec.MsgspecError as error:
        raise ValueError(f"no state of GPU health: {error}") from None
    if found.version != VERSION:
        raise ValueError(f"a state of GPU health of version {found.version}; this program knows {VERSION}")
    return found
