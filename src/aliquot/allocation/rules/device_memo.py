"""What was worked out of a device, kept with it. Devices hold mappings, so they have no hash."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from aliquot.dra.device import Device

V = TypeVar("V")


@dataclass(slots=True, eq=False)
class DeviceMemo(Generic[V]):
    """Values by device object. Two equal devices are worked out twice, to equal values.

    Each device is kept alive, so that no other one can take its place in memory.
    """

    work_out: Callable[[Device], V]
    _known: dict[int, tuple[Device, V]] = field(init=False, default_factory=dict[int, "tuple[Device, V]"])

    def of(self, device: Device) -> V:
        """The value of a device."""
        known = self._known.get(id(device))
        if known is None:
            known = self._known[id(device)] = (device, self.work_out(device))
        return known[1]
