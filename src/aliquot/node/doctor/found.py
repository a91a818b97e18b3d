"""What was seen of a machine. None, everywhere: it couldn't be seen, which is no absence."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from aliquot.cdi.problems import Problem
from aliquot.cdi.runtime_config.assessment import Assessment
from aliquot.node.neighbours.checkpoint import NvidiaCheckpoint, Unreadable
from aliquot.node.neighbours.found import OnMachine, Socket
from aliquot.node.neighbours.spec_files import NvidiaSpecs


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """A folder, or what stands in its place."""

    path: str
    there: bool
    """Whether it's there, and is a folder."""
    writable: bool
    """By this process; where it isn't there: whether it could be made."""
    wrong: str = ""
    """What stands in its place, or why it can't be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecFolders:
    """The CDI folders, and what is in them."""

    folders: tuple[Folder, ...]
    devices: int
    files: int
    problems: tuple[Problem, ...] = ()
    nvidias: NvidiaSpecs = field(default_factory=NvidiaSpecs)


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeletFound:
    """The kubelet."""

    root: str
    """Its folder, as this process sees it."""
    how: str
    """How that's known, in words."""
    told: str | None = None
    """Its folder as its own command line says."""
    others: tuple[str, ...] = ()
    """Other folders that have a kubelet's socket."""
    folders: tuple[Folder, ...] = ()
    """plugins_registry, plugins, device-plugins, pod-resources."""
    device_plugins: Socket | None = None
    pod_resources: Socket | None = None
    """Its sockets; None: there's none."""
    version: str | None = None
    gates: Mapping[str, bool] | None = None
    """Those that are set; None: no configuration of it could be read."""
    gates_from: tuple[str, ...] = ()
    runtime: str | None = None
    """The address of its container runtime."""
    boot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessFound:
    """This process."""

    uid: int | None = None
    capabilities: int | None = None
    """The effective ones, as the kernel's bits."""
    read_only_root: bool | None = None
    libc: str | None = None
    """`glibc 2.36`; None: another C library."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeFound:
    """A container runtime that a kubelet may use."""

    name: str
    by: str
    """How it's known that it's here."""
    assessment: Assessment | None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFound:
    """The machine itself."""

    system: str | None = None
    """`Linux`."""
    release: str | None = None
    """The kernel's."""
    dxg: bool = False
    """/dev/dxg: the GPU of Windows below WSL."""
    gpu_nodes: tuple[str, ...] = ()
    """/dev/nvidia0 and so on."""
    control_node: bool = False
    uvm_node: bool = False
    imex_channels: int | None = None
    """How many; None: no driver that has them."""
    module: str | None = None
    """The driver's kernel module, as /proc tells."""
    library: str | None = None
    """NVML's file, with its folder."""
    library_needs: tuple[int, int] | None = None
    """The newest glibc that NVML asks for."""
    host_libc: tuple[int, int] | None = None
    """The C library below the root."""
    nvidia_runtime_mode: str | None = None
    """NVIDIA's container runtime: how it brings devices in; None: it isn't configured here."""
    operator: tuple[str, ...] = ()
    """What the GPU Operator has said to be ready on this node."""
    operator_driver: bool = False
    """Its driver container has a driver at /run/nvidia/driver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All of it."""

    root: str
    machine: MachineFound
    process: ProcessFound
    kubelet: KubeletFound
    runtimes: tuple[RuntimeFound, ...]
    specs: SpecFolders
    neighbours: OnMachine
    checkpoint: NvidiaCheckpoint | Unreadable | None = None
    """Of NVIDIA's DRA driver; None: there's none."""

    @property
    def kubelet_path(self) -> PurePosixPath:
        """The kubelet's folder as the machine itself has it, without the root through which it's seen."""
        seen, root = PurePosixPath(self.kubelet.root), PurePosixPath(self.root)
        return "/" / seen.relative_to(root) if seen.is_relative_to(root) else seen
