"""What a claim asks of the sharing of its devices. Names and defaults: NVIDIA's `resource.nvidia.com/v1beta1`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from aliquot.devices.gpu import TimeSlice

API_VERSION: Final = "resource.nvidia.com/v1beta1"
DRIVER: Final = "gpu.nvidia.com"
MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TimeSlicing:
    """Programs take turns on the whole device."""

    interval: TimeSlice = TimeSlice.DEFAULT
    """How long a turn is; on a MIG device it can't be set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mps:
    """Programs run at the same time, as clients of one MPS daemon."""

    percent: int | None = None
    """The most of the multiprocessors that a client gets, 0 to 100; None: all."""
    memory_mib: int | None = None
    """The most memory that a client may allocate on each device; None: all."""
    memory_mib_of: Mapping[str, int] = field(default_factory=lambda: MappingProxyType(dict[str, int]()))
    """The same for single devices, by UUID or by number among the devices of the configuration."""
    multi_user: bool = False
    """Whether programs of several users run at the same time; else they wait for each other."""


Sharing = TimeSlicing | Mps


@dataclass(frozen=True, slots=True)
class ClaimConfig:
    """A `GpuConfig`, or a `MigDeviceConfig` where `for_mig`."""

    for_mig: bool
    sharing: Sharing | None = None
    """None: nothing is set up; the device is used as it stands."""

    @property
    def kind(self) -> str:
        """Its kind, as a manifest writes it."""
        return "MigDeviceConfig" if self.for_mig else "GpuConfig"


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A configuration for NVIDIA's driver whose fields are right, and of which no more can be said here."""

    kind: str
    why: str
