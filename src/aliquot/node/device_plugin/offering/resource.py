"""A resource as the kubelet counts it: devices that are offered once, or several times."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.sharing.strategies import Strategy

REPLICA: Final = "::"
ALL: Final = "all"
"""The one device of a machine whose GPUs can't be told apart (Windows' Linux subsystem), as NVIDIA names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A GPU or a MIG device."""

    uuid: str
    index: str
    """`0`, or `0:1` for a MIG device."""
    gpu: str
    """The UUID of its GPU."""
    numa: int | None = None
    replicas: int | None = None
    """How often it's offered; None: once, by its own name."""
    fault: str | None = None
    """Why it isn't healthy."""
    where: str = ""
    """For people: `gpu 0 (0000:07:00.0)`."""

    @property
    def ids(self) -> tuple[str, ...]:
        """What the kubelet calls it."""
        if self.replicas is None:
            return (self.uuid,)
        return tuple(f"{self.uuid}{REPLICA}{number}" for number in range(self.replicas))


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """What a pod asks for."""

    name: str
    """`nvidia.com/gpu`."""
    units: tuple[Unit, ...]
    """In the driver's order."""
    way: Strategy = Strategy.WHOLE
    """How each unit is shared among its replicas; `WHOLE`: it isn't."""
    single: bool = False
    """Whether a container may have one device at most."""

    @property
    def ids(self) -> Mapping[str, Unit]:
        """Every id, in order."""
        return {name: unit for unit in self.units for name in unit.ids}

    def units_of(self, ids: Iterable[str]) -> tuple[Unit, ...]:
        """The units of ids, each once, in the resource's order; the kubelet asks in any order."""
        wanted = set(ids)
        return tuple(unit for unit in self.units if not wanted.isdisjoint(unit.ids))
