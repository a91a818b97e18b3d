"""The ways to divide a GPU, and what each isolates. Sources: NVIDIA's MIG and MPS guides."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Strategy(StrEnum):
    """A way to divide a GPU among containers."""

    WHOLE = "whole"
    MIG = "mig"
    MPS = "mps"
    TIME_SLICING = "time-slicing"
    MIG_MPS = "mig+mps"
    """MPS among the programs on one MIG instance."""


class Guarantee(StrEnum):
    """How far a container is kept from its neighbours on the GPU."""

    HARDWARE = "hardware"
    """Kept apart by the hardware."""
    LIMIT = "limit"
    """A limit that the driver enforces while the limit is set: no wall."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a strategy keeps apart."""

    memory: Guarantee
    """Whether a neighbour can use up the memory."""
    fault: Guarantee
    """Whether a neighbour's fatal fault is survived."""
    bandwidth: Guarantee
    """Whether a neighbour can use up the memory bandwidth and the compute."""

    @property
    def isolated(self) -> bool:
        """Whether the word may be used at all: everything is kept apart by the hardware."""
        return {self.memory, self.fault, self.bandwidth} == {Guarantee.HARDWARE}

    @property
    def shared(self) -> tuple[str, ...]:
        """What isn't kept apart by the hardware, in words for a person."""
        lacks = (
            (self.memory is Guarantee.NONE, "memory: a neighbour can take all of it"),
            (self.memory is Guarantee.LIMIT, "memory: kept apart by a limit, not by the hardware"),
            (self.fault is Guarantee.NONE, "faults: a neighbour's fatal fault can stop this one too"),
            (self.bandwidth is Guarantee.NONE, "speed: bandwidth and compute are shared, neighbours slow each other"),
        )
        return tuple(words for lacking, words in lacks if lacking)


ISOLATION: Final[Mapping[Strategy, Isolation]] = MappingProxyType(
    {
        Strategy.WHOLE: Isolation(Guarantee.HARDWARE, Guarantee.HARDWARE, Guarantee.HARDWARE),
        Strategy.MIG: Isolation(Guarantee.HARDWARE, Guarantee.HARDWARE, Guarantee.HARDWARE),
        Strategy.MPS: Isolation(Guarantee.LIMIT, Guarantee.NONE, Guarantee.NONE),
        Strategy.TIME_SLICING: Isolation(Guarantee.NONE, Guarantee.NONE, Guarantee.NONE),
        # among the programs of one instance; from other instances the hardware keeps them apart
        Strategy.MIG_MPS: Isolation(Guarantee.LIMIT, Guarantee.NONE, Guarantee.NONE),
    }
)
