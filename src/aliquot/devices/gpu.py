"""One GPU as its host reports it: who it is, what it holds, how it stands. None: the driver didn't say.

What a node reports counts more than the catalogue; `model` and `geometry` come from there only where it said nothing.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from aliquot.devices.catalogue import GpuModel, by_pci_id, by_product
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.links import NvLink

_HOPPER: Final = 9
"""Its compute capability's first number."""


class ComputeMode(StrEnum):
    """Who may open the GPU for computing (NVML's names; exclusive thread is gone from drivers)."""

    DEFAULT = "default"
    EXCLUSIVE_PROCESS = "exclusive-process"
    PROHIBITED = "prohibited"


class TimeSlice(StrEnum):
    """How long one process runs before another gets its turn; the lengths in milliseconds are unpublished."""

    DEFAULT = "default"
    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"


class Recovery(StrEnum):
    """What the driver wants done before the GPU is good again (NVML field 230)."""

    NONE = "none"
    RESET = "reset the GPU"
    REBOOT = "reboot the machine"
    DRAIN_P2P = "drain peer traffic"
    DRAIN_AND_RESET = "drain, then reset the GPU"
    RECOVER_IMEX = "recover the IMEX domain"
    BUS_RESET = "reset the bus"
    SYSTEM_REBOOT = "reboot the whole system"
    UNKNOWN = "unknown to this version: reboot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A GPU's memory in bytes; `used` without what the driver keeps for itself where it can tell them apart."""

    total: int
    used: int
    reserved: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process on the GPU. Its pid is the host's; from a container with its own pids it may be foreign."""

    pid: int
    kind: str = "compute"
    """`compute`, `graphics` or `mps`."""
    memory: int | None = None
    """Bytes."""
    gi: int | None = None
    ci: int | None = None
    """The MIG instance that it runs on."""
    name: str | None = None
    container: str | None = None
    """The id of its container, and below the uid of its pod, as its cgroup tells them."""
    pod: str | None = None

    def __str__(self) -> str:
        """As people are told of it: `pid 52310 (vllm, pod 1f0c…, container 3f2a…)`."""
        known = [self.name or "", f"pod {self.pod}" if self.pod else ""]
        known.append(f"container {self.container[:12]}" if self.container else "")
        words = ", ".join(filter(None, known))
        return f"pid {self.pid}{f' ({words})' if words else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One GPU of a host."""

    index: int
    """The driver's order; it may change at a reboot, and it isn't CUDA's."""
    uuid: str
    name: str
    """As the driver spells it."""
    pci: str
    """Its PCI address as sysfs writes it: `0000:65:00.0`."""
    pci_id: str | None = None
    """`10de:20b0`: what it is, whatever its driver calls it."""
    minor: int | None = None
    """N of /dev/nvidiaN; not the index."""
    serial: str | None = None
    brand: str | None = None
    """`Nvidia`, `NvidiaRTX`, `GeForceRTX`: the family under which it's sold, as NVIDIA's own drivers spell it."""
    architecture: str | None = None
    compute_capability: str | None = None
    memory: Memory | None = None
    addressing_mode: str | None = None
    """`HMM` or `ATS`: how the GPU and the machine reach each other's memory; `None`: it could, and does not."""
    virtual: bool | None = None
    """Whether it's a virtual GPU, whose division is its host's."""
    numa_node: int | None = None
    """The nearest one; None where the machine has no such order."""
    pcie_root: str | None = None
    """`pci0000:64`, from sysfs."""
    mig: MigMode | None = None
    """None: no MIG on this part, or `mig_unknown`."""
    mig_unknown: bool = False
    """The driver failed to say whether it's in MIG mode, or has any."""
    instances: tuple[Instance, ...] = ()
    compute_mode: ComputeMode | None = None
    time_slice: TimeSlice | None = None
    """No call of NVML tells it: known only where this program set it."""
    persistence: bool | None = None
    ecc: bool | None = None
    ecc_pending: bool | None = None
    """What it will be after the next reset."""
    uncorrected_errors: int | None = None
    """Memory errors since the driver was loaded."""
    rows_pending: bool | None = None
    """A remapping of memory rows waits for a reset."""
    rows_failed: bool | None = None
    recovery: Recovery | None = None
    throttled: tuple[str, ...] | None = None
    """Why the clocks are held back just now; empty: they aren't."""
    temperature_c: int | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    utilisation_percent: int | None = None
    """Of the last moment: time with at least one kernel running; unknown with MIG."""
    links: tuple[NvLink, ...] = ()
    processes: tuple[Process, ...] = ()
    processes_unknown: bool = False
    """The driver failed to tell all of them."""
    partial: tuple[str, ...] = ()
    """Questions that the driver failed to answer, each with its words."""

    @property
    def model(self) -> GpuModel | None:
        """Its row of the catalogue: by PCI id, else by name; A2 and A16 share an id, so there the name decides.

        A row of another architecture than the driver tells isn't its row: virtual GPUs and mocks borrow ids.
        """
        named = self._if_it_may_be(by_product(self.name))
        found = self._if_it_may_be(by_pci_id(self.pci_id)) if self.pci_id is not None else None
        if named is not None and found is not None and self.pci_id in named.pci_ids:
            return named
        return found or named

    def _if_it_may_be(self, model: GpuModel | None) -> GpuModel | None:
        """The model, unless the driver tells another architecture; to it Blackwell Ultra is Blackwell."""
        if model is None or self.architecture is None or model.architecture.startswith(self.architecture):
            return model
        return None

    @property
    def mig_enabled(self) -> bool:
        """Whether it's in MIG mode now."""
        return self.mig is not None and self.mig.current

    @property
    def programs(self) -> tuple[Process, ...]:
        """Who runs on it, one for each pid."""
        return tuple({each.pid: each for each in self.processes}.values())

    @property
    def mig_switch_resets(self) -> bool | None:
        """Whether switching MIG on or off resets it: before Hopper it does; None where its generation isn't known."""
        told = self.compute_capability or (self.model.compute_capability if self.model is not None else None)
        major = (told or "").partition(".")[0]
        return int(major) < _HOPPER if major.isdecimal() else None

    @property
    def mig_needs_reset(self) -> bool:
        """The same, assumed where it isn't known."""
        return self.mig_switch_resets is not False
