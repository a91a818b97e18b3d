"""What a host has, as far as a CDI spec needs it: plain frozen data, from a driver root on disk, JSON, or a host.

Paths are those that a container sees: `/dev/nvidia0`, `/usr/bin/nvidia-smi`. On the host they lie under `driver_root`
(driver files) or `dev_root` (device nodes); both are "/" on an ordinary host, and `/run/nvidia/driver` or the like
where the driver comes in a container of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

FileKind = Literal["config", "binary", "graphics-binary", "firmware", "socket", "gds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNode:
    """A character device: its path below the dev root, its numbers, permission bits, and the group that owns it."""

    path: str
    major: int
    minor: int
    mode: int = 0o666
    gid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MigDevice:
    """A MIG device (a compute instance): its index on its GPU, and the ids of its GPU and compute instance.

    `graphics` tells whether its profile has the attribute `gfx`: only such a device may draw.
    """

    index: int
    gpu_instance: int
    compute_instance: int
    uuid: str = ""
    graphics: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """An NVIDIA GPU. `index` is NVML's (by PCI address), `minor` the N of /dev/nvidiaN: they may differ.

    `address` is the PCI address as in sysfs (`0000:07:00.0`), `drm_nodes` the names below /dev/dri. `mig` is None where
    MIG is off; an empty tuple is MIG switched on without any device.
    """

    index: int
    minor: int
    uuid: str = ""
    address: str = ""
    drm_nodes: tuple[str, ...] = ()
    mig: tuple[MigDevice, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrmGpu:
    """A GPU that is reached by DRM nodes alone (AMD, Intel): vendor, PCI address or platform name, names in /dev/dri.

    `unique_id` is the serial number that AMD's driver tells, "" without one.
    """

    vendor: Literal["amd", "intel"]
    address: str
    drm_nodes: tuple[str, ...]
    unique_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """An RDMA device, as in /sys/class/infiniband, and the names of its nodes below /dev/infiniband."""

    name: str
    nodes: tuple[str, ...]
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A shared library of the driver: its resolved path, its SONAME ("" where it has none), and which links exist.

    `links` are names of symbolic links beside it, of those that programs look for: its SONAME and its `.so` name.
    `host_path` is set where the file doesn't lie at its path below the driver root.
    """

    path: str
    soname: str = ""
    links: tuple[str, ...] = ()
    host_path: str = ""

    @property
    def name(self) -> str:
        """The file name."""
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folder, without a slash at its end."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverFile:
    """Another file of the driver. `host_path` is set where it doesn't lie at `path` below the driver root."""

    path: str
    kind: FileKind
    host_path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The NVIDIA driver's user space: its version, the folders of its libraries, and its files.

    `libraries` carry the version in their names (`libcuda.so.550.54.15`) or belong with them; `graphics` are those for
    EGL, Vulkan and X; `explicit` are vendor-neutral ones that are mounted on request only.
    """

    version: str
    folders: tuple[str, ...] = ()
    libraries: tuple[Library, ...] = ()
    graphics: tuple[Library, ...] = ()
    explicit: tuple[Library, ...] = ()
    files: tuple[DriverFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WslStore:
    """The driver under Windows' Linux subsystem: files of the driver store and of `/usr/lib/wsl/lib`.

    `required` are those that CUDA needs, `others` what else lies in the store.
    """

    required: tuple[str, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """A host.

    `dev_links` are the links of /dev/dri/by-path with the text that they hold. `capabilities` maps a MIG capability
    (`gpu0/gi1/ci0/access`) to the N of /dev/nvidia-caps/nvidia-capN. `notes` say what couldn't be found out.
    """

    driver_root: str = "/"
    dev_root: str = "/"
    driver: Driver | None = None
    gpus: tuple[Gpu, ...] = ()
    nodes: tuple[FoundNode, ...] = ()
    dev_links: Mapping[str, str] = field(default_factory=dict[str, str])
    capabilities: Mapping[str, int] = field(default_factory=dict[str, int])
    drm_gpus: tuple[DrmGpu, ...] = ()
    nics: tuple[Nic, ...] = ()
    wsl: WslStore | None = None
    notes: tuple[str, ...] = ()

    def node(self, path: str) -> FoundNode | None:
        """The device node at a path, or None."""
        return next((node for node in self.nodes if node.path == path), None)


def under(root: str, path: str) -> str:
    """The host's path of what a container sees at `path`."""
    return path if root in {"", "/"} else root.rstrip("/") + path


def so_name(soname: str) -> str:
    """`libcuda.so` of `libcuda.so.1`; "" where there's no `.so`."""
    stem = soname
    while stem and not stem.endswith(".so"):
        stem = stem.rpartition(".")[0]
    return stem
