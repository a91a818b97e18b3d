"""Sockets in the kubelet's folder of device plugins: their names, whose they are, whether somebody listens."""

import socket
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

FOLDER: Final = Path("/var/lib/kubelet/device-plugins")
KUBELET: Final = "kubelet.sock"
NVIDIAS: Final = "nvidia-*.sock"
"""NVIDIA's plugin has one for each resource."""
_MINE: Final = "aliquot-"
_PATH_BYTES: Final = 106
"""Of a socket's path; 107 fit, and one is for a dot before the name, under which it's bound."""
_CONNECT_S: Final = 1.0


def socket_name(resource: str, folder: Path) -> str:
    """`aliquot-gpu.sock`; a hash in it where the path would be too long for a socket."""
    name = f"{_MINE}{resource.rpartition('/')[2]}.sock"
    if len(str(folder / name).encode()) <= _PATH_BYTES:
        return name
    return f"{_MINE}{sha256(resource.encode()).hexdigest()[:8]}.sock"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which socket it is: one that was made anew at the same path is another. Numbers of inodes are used again."""

    device: int
    inode: int
    changed_ns: int


def identity(path: Path) -> Identity | None:
    """The socket at a path; None: there's nothing."""
    with suppress(OSError):
        found = path.stat()
        return Identity(found.st_dev, found.st_ino, found.st_ctime_ns)
    return None


def listens(path: Path) -> bool:
    """Whether somebody listens at a path. Who doesn't let us ask counts as listening."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_CONNECT_S)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return path.exists()
    return True


@dataclass(frozen=True, slots=True)
class Taken:
    """Another device plugin offers this node's GPUs already."""

    sockets: tuple[str, ...]

    def __str__(self) -> str:
        names = ", ".join(self.sockets)
        return (
            f"another device plugin listens at {names}: it offers NVIDIA GPUs of this node, and none may be offered "
            "twice. Remove it from this node first (NVIDIA's DaemonSet nvidia-device-plugin-daemonset; with the GPU "
            "Operator set devicePlugin.enabled=false); pods that run keep their GPUs"
        )


def taken(folder: Path) -> Taken | None:
    """Whether NVIDIA's plugin serves here.

    It's told by its sockets' names. It isn't asked for its list: a second listener of its stream takes away news of a
    device's health from the kubelet, since its server sends each to one of them.
    """
    with suppress(OSError):
        found = _listening(sorted(folder.glob(NVIDIAS)))
        return Taken(found) if found else None
    return None


def _listening(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(str(path) for path in paths if listens(path))
