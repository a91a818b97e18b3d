"""A host at one moment: its driver, its devices, and what couldn't be found out."""

from dataclasses import dataclass
from enum import StrEnum

from aliquot.devices.gpu import Gpu
from aliquot.devices.links import Accelerator, Nic


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """The GPU driver."""

    version: str
    """The library's, such as `580.65.06`."""
    cuda: str | None = None
    """The newest CUDA that it runs, such as `13.0`."""
    module: str | None = None
    """The kernel module's version, where it can be told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Something that's wrong with the host, or couldn't be asked."""

    message: str
    hint: str = ""
    gpu: str | None = None
    """The GPU it's about: `gpu 3`, with its PCI address where that's known."""

    def __str__(self) -> str:
        return f"{self.gpu}: {self.message}" if self.gpu is not None else self.message


class Silence(StrEnum):
    """Why nothing is known of a GPU."""

    LOST = "lost"
    """Off the bus, or it answers nothing before a reset."""
    HUNG = "hung"
    """It was asked, and the answer never came."""
    NOT_COUNTED = "not counted"
    """On the bus, and the NVIDIA driver doesn't have it: another one does, or it failed to start."""
    UNTOLD = "not told"
    """Its driver answers, and not this: for want of rights, or for another reason that its words give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A GPU that is counted or seen on the bus, but doesn't answer."""

    index: int | None
    trouble: Trouble
    pci: str | None = None
    uuid: str | None = None
    """From before, where it answered once."""
    silence: Silence = Silence.UNTOLD


@dataclass(frozen=True, slots=True, kw_only=True)
class Xid:
    """An error that the driver told of a GPU."""

    gpu: str | None
    """The UUID; None where the event didn't say which."""
    number: int
    gi: int | None = None
    ci: int | None = None
    """The MIG instance, where the driver could blame one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Everything that could be found out about a host's devices."""

    host: str
    """Where it's from: `nvml`, `sim:FILE`, `preset:NAME`, `sysfs:DIR`."""
    driver: Driver | None = None
    driver_silence: Silence | None = None
    """Why no driver answers; LOST: there's none, or not all of one."""
    gpus: tuple[Gpu, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    accelerators: tuple[Accelerator, ...] = ()
    nics: tuple[Nic, ...] = ()
    xids: tuple[Xid, ...] = ()
    """The last ones, oldest first."""
    xids_known: bool = True
    """Whether those from before this program ran could be read."""
    troubles: tuple[Trouble, ...] = ()
    """Of the host as a whole; those of a GPU are in `unreadable` and in its own fields."""

    def where(self, gpu: str) -> str:
        """A GPU of a UUID or a PCI address for people."""
        known = next((each for each in self.gpus if gpu in {each.uuid, each.pci}), None)
        lost = next((each for each in self.unreadable if gpu in {each.uuid, each.pci}), None)
        if known is not None:
            return f"gpu {known.index} ({known.pci})"
        return (lost.trouble.gpu if lost is not None else None) or f"{gpu}, where no GPU is now"

    def gpu(self, uuid: str) -> Gpu | None:
        """The GPU of a UUID."""
        return next((gpu for gpu in self.gpus if gpu.uuid == uuid), None)
