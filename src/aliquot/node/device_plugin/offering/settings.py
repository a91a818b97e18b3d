"""What a node's device plugin is told: NVIDIA's configuration file, and what that file has no word for."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from aliquot.cdi.annotations import PREFIX
from aliquot.devices.gpu import TimeSlice
from aliquot.node.device_plugin.offering.division import By, Offering
from aliquot.sharing.plugin_config.values import PluginConfig
from aliquot.sharing.strategies import Strategy

EXTRAS: Final = {"gdrcopyEnabled": "NVIDIA_GDRCOPY", "gdsEnabled": "NVIDIA_GDS", "mofedEnabled": "NVIDIA_MOFED"}
"""Flags that ask for more than GPUs -> the variable by which NVIDIA's container runtime is told."""


class ListStrategy(StrEnum):
    """How the container runtime is told which devices a container has."""

    ENVVAR = "envvar"
    VOLUME_MOUNTS = "volume-mounts"
    CDI_ANNOTATIONS = "cdi-annotations"
    CDI_CRI = "cdi-cri"


CDI: Final = frozenset({ListStrategy.CDI_ANNOTATIONS, ListStrategy.CDI_CRI})


class Policy(StrEnum):
    """Which GPUs are preferred for replicas; those of one container are on different GPUs as far as it goes."""

    DISTRIBUTED = "distributed"
    """GPUs with the fewest replicas in use."""
    PACKED = "packed"
    """GPUs with the most replicas in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The configuration of a node's device plugin."""

    plugin: PluginConfig = field(default_factory=PluginConfig)
    """NVIDIA's file, as it was read."""
    offering: Offering = field(default_factory=lambda: Offering(others=By.DEVICE_PLUGIN))
    interval: TimeSlice = TimeSlice.DEFAULT
    """How long programs on a time-sliced GPU take turns."""
    cdi_kind: str = "nvidia.com/gpu"
    """Of the base spec, whose devices are named by UUID and by index."""

    @property
    def lists(self) -> frozenset[ListStrategy]:
        """How devices are handed over; several at once are possible."""
        given = self._flag("plugin.deviceListStrategy", ListStrategy.ENVVAR.value)
        return frozenset(map(ListStrategy, [given] if isinstance(given, str) else given))

    @property
    def by_index(self) -> bool:
        """Whether devices are named by index (`0`, `0:1`) to the container runtime; else by UUID."""
        return bool(self._flag("plugin.deviceIDStrategy", "uuid") == "index")

    @property
    def policy(self) -> Policy:
        """Which GPUs are preferred for replicas."""
        return Policy(self._flag("plugin.sharedDevicesAllocationPolicy", Policy.DISTRIBUTED.value))

    @property
    def device_specs(self) -> bool:
        """Whether device nodes are handed over too."""
        return bool(self._flag("plugin.passDeviceSpecs", False)) and not self.lists <= CDI

    @property
    def dev_root(self) -> str | None:
        """Where the host has its device nodes; None: not said."""
        given = self._flag("nvidiaDevRoot", None)
        return given if given is None else str(given)

    @property
    def annotation_prefix(self) -> str:
        """What the keys of CDI annotations begin with."""
        return str(self._flag("plugin.cdiAnnotationPrefix", PREFIX))

    @property
    def extras(self) -> tuple[str, ...]:
        """Variables that are set to `enabled`."""
        return tuple(variable for flag, variable in EXTRAS.items() if self._flag(flag, False))

    def notes(self) -> Iterator[str]:
        """Where this plugin does otherwise than the file says, or than NVIDIA's would."""
        sharing = self.plugin.sharing
        if sharing is not None and sharing.strategy is Strategy.MPS and not sharing.fail_requests_greater_than_one:
            yield (
                "sharing.mps.failRequestsGreaterThanOne false isn't followed: each GPU has an MPS daemon of its own, "
                "and a container reaches one"
            )
        if self.extras and self.lists <= CDI:
            names = ", ".join(flag for flag in EXTRAS if self._flag(flag, False))
            yield f"flags.{names}: with CDI only, no device of them is added; the container's runtime gets a variable"

    def _flag(self, name: str, default: Any) -> Any:
        return self.plugin.flags.get(name, default)
