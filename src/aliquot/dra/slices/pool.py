"""What a driver publishes of one pool, before it's cut into slices, and what came of cutting it."""

from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.dra.device import CounterSet, Device, Slice


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The devices of one driver on one node, in the order in which the scheduler is to try them."""

    driver: str
    name: str
    node: str
    devices: tuple[Device, ...] = ()
    counter_sets: tuple[CounterSet, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A pool as slices."""

    slices: tuple[Slice, ...]
    """All of them, by name."""
    written: tuple[str, ...] = ()
    """The names of those that are new or changed."""
    removed: tuple[str, ...] = ()
    """The names of those that are to go."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """The API server would refuse the pool however it's cut, or would drop a part of it."""

    reasons: tuple[str, ...]

    @staticmethod
    def of(reasons: Sequence[str]) -> "Unfit | None":
        """None where there's no reason."""
        return Unfit(tuple(reasons)) if reasons else None
