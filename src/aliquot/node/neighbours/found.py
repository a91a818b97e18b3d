"""What was found of others on this machine, and what the cluster says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

GPU_DRIVER: Final = "gpu.nvidia.com"
DOMAIN_DRIVER: Final = "compute-domain.nvidia.com"
"""Of IMEX domains over several nodes: left to NVIDIA's driver, always."""

Json = Mapping[str, Any]


class Voice(StrEnum):
    """Whether somebody is at a socket."""

    LIVE = "somebody listens"
    SILENT = "nobody listens"
    UNKNOWN = "it can't be told whether somebody listens"


@dataclass(frozen=True, slots=True)
class Socket:
    """A socket in a folder of the kubelet's."""

    path: str
    voice: Voice
    why: str = ""
    """Why it can't be told."""
    ours: bool | None = None
    """Whether an agent of ours is there; None: that can't be told, or wasn't asked."""


@dataclass(frozen=True, slots=True)
class Registered:
    """A socket by which the kubelet gets to know a DRA driver."""

    socket: Socket
    driver: str
    """As the driver says; where it doesn't answer, as the socket's name says."""
    endpoint: str = ""
    """Its own socket, as it says."""


@dataclass(frozen=True, slots=True)
class OnMachine:
    """What was found in the kubelet's folders and among the processes."""

    device_plugins: tuple[Socket, ...] = ()
    """NVIDIA's."""
    registered: tuple[Registered, ...] = ()
    """Drivers of NVIDIA's names, ours among them."""
    drivers: Mapping[str, tuple[Socket, ...]] = field(default_factory=dict[str, tuple[Socket, ...]])
    """Their own sockets, by the driver's name."""
    processes: frozenset[str] = frozenset()
    """The names of those that can be seen: from a container, often only its own."""
    troubles: tuple[str, ...] = ()
    """What couldn't be looked at, and why."""


@dataclass(frozen=True, slots=True)
class InCluster:
    """What the API server says; None: it wasn't asked, or doesn't answer."""

    node: str
    pods: Sequence[Json] | None = None
    slices: Sequence[Json] | None = None
