"""What comes of a pod: what its containers get, or the kubelet's error."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Mount:
    """A folder or file of the host in the container."""

    container_path: str
    host_path: str
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class DeviceNode:
    """A device node of the host in the container."""

    container_path: str
    host_path: str
    permissions: str
    """Of r, w and m."""


@dataclass(frozen=True, slots=True)
class ContainerGets:
    """What the kubelet asks the container runtime to give a container, because of claims and device plugins."""

    cdi_devices: tuple[str, ...] = ()
    """Qualified names, each once: those of claims, then those of device plugins."""
    envs: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    mounts: tuple[Mount, ...] = ()
    devices: tuple[DeviceNode, ...] = ()
    annotations: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True, slots=True)
class Admitted:
    """The pod starts."""

    containers: Mapping[str, ContainerGets]
    """By container, init containers included."""


@dataclass(frozen=True, slots=True)
class NotAdmitted:
    """The pod doesn't start."""

    reason: str
    """As in its status or event: UnexpectedAdmissionError, FailedPrepareDynamicResources, CreateContainerError."""
    message: str
    final: bool = False
    """The pod has failed for good; else the kubelet tries again."""


@dataclass(frozen=True, slots=True)
class NotRemoved:
    """The pod stays Terminating; the kubelet tries again."""

    message: str
