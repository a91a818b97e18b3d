"""One survey of a machine by NVML: every GPU that answers, and by name every one that doesn't."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from aliquot.devices.catalogue import by_pci_id
from aliquot.devices.gpu import Gpu, TimeSlice
from aliquot.devices.hosts import host_files
from aliquot.devices.hosts.nvml.errors import ABSENT, fault_of, no_driver
from aliquot.devices.hosts.nvml.process import NvmlCodeError, WorkerProcess, abandoned
from aliquot.devices.hosts.protocol import GpuLost, HostFault, Hung, slow_answer
from aliquot.devices.hosts.sysfs import SysfsHost
from aliquot.devices.survey import Driver, Silence, Survey, Trouble, Unreadable, Xid

NVIDIA = "10de"


class Look:
    """One look; `hung` remembers between looks which GPUs aren't asked any more, by PCI address or `gpu N`."""

    def __init__(self, worker: WorkerProcess, root: Path, limit_s: float, hung: dict[str, str]) -> None:
        self._worker = worker
        self._root = root
        self._limit = limit_s
        self._hung = hung
        self._gpus: list[Gpu] = []
        self._unreadable: list[Unreadable] = []
        self._troubles: list[Trouble] = []
        self._driver_silence: Silence | None = None

    def everything(self, slices: dict[str, TimeSlice], xids: tuple[Xid, ...]) -> Survey:
        """The survey.

        Args:
            slices: time-slices that this program set, by UUID.
            xids: those it was told.
        """
        driver = self._driver()
        for index in range(driver["count"] if driver else 0):
            self._look_at(index)
        self._missing(counted=driver is not None)
        aside = SysfsHost(self._root).survey()
        if driver and driver["cuda"] is None:
            self._troubles.append(Trouble(message="the newest CUDA is unknown: the driver failed to tell it"))
        module = host_files.module_version(self._root)
        logged = host_files.logged_xids(self._root)
        uuids = {gpu.pci: gpu.uuid for gpu in self._gpus}
        if stuck := abandoned():
            words = (
                "1 process that asked the driver is" if stuck == 1 else f"{stuck} processes that asked the driver are"
            )
            self._troubles.append(Trouble(message=f"{words} stuck in it"))
        return Survey(
            host="nvml",
            driver=Driver(version=driver["version"], cuda=driver["cuda"], module=module) if driver else None,
            driver_silence=self._driver_silence,
            gpus=tuple(replace(gpu, time_slice=slices.get(gpu.uuid)) for gpu in self._gpus),
            unreadable=tuple(self._unreadable),
            accelerators=aside.accelerators,
            nics=aside.nics,
            xids=(*(replace(xid, gpu=uuids.get(xid.gpu or "", xid.gpu)) for xid in logged or ()), *xids),
            xids_known=logged is not None,
            troubles=tuple(self._troubles),
        )

    def _driver(self) -> dict[str, Any] | None:
        if "driver" in self._hung:
            self._troubles.append(Trouble(message=self._hung["driver"], hint="nothing is asked before `release`"))
            self._driver_silence = Silence.HUNG
            return None
        try:
            driver: dict[str, Any] = self._worker.ask("driver", limit_s=self._limit)
            return driver  # noqa: TRY300
        except NvmlCodeError as error:
            gpus = len(host_files.display_devices(self._root, NVIDIA)) if host_files.pci_devices(self._root) else None
            self._troubles.append(no_driver(error, host_files.module_version(self._root), gpus))
            self._driver_silence = Silence.LOST if error.code in ABSENT else Silence.UNTOLD
        except HostFault as fault:
            self._driver_silence = Silence.HUNG
            if isinstance(fault, Hung):
                self._hung["driver"] = fault.message
            module = host_files.module_version(self._root)
            message = fault.message if module is None else f"{fault.message} (kernel module {module})"
            self._troubles.append(Trouble(message=message, hint=fault.hint))
        return None

    def _look_at(self, index: int) -> None:
        where, about = f"gpu {index}", None
        if where in self._hung:
            self._fail(index, self._hung[where], "it isn't asked again before `release`", silence=Silence.HUNG)
            return
        try:
            about = self._worker.ask("identity", index, limit_s=self._limit, gpu=where)
            took_s = self._worker.took_s
            if about["pci"] in self._hung:
                why = self._hung[about["pci"]]
                self._fail(index, why, "it isn't asked again before `release`", about, Silence.HUNG)
                return
            standing = self._worker.ask("standing", about["pci"], limit_s=self._limit, gpu=where)
            gpu = self._joined({**about, **standing})
            self._gpus.append(replace(gpu, partial=(*gpu.partial, *slow_answer(took_s + self._worker.took_s))))
        except NvmlCodeError as error:
            fault = fault_of(error, where)
            if isinstance(fault, GpuLost):
                self._fail(index, fault.message, fault.hint, about, Silence.LOST)
                return
            asked = "which GPU it is" if about is None else "how it stands"
            hint = fault.hint if fault else _hint(error.code)
            self._fail(index, f"asked {asked}, the driver answered: {error.text}", hint, about)
        except Hung as fault:
            self._hung[about["pci"] if about else where] = fault.message
            self._fail(index, fault.message, fault.hint, about, Silence.HUNG)
        except HostFault as fault:
            self._fail(index, fault.message, fault.hint, about)

    def _fail(
        self,
        index: int | None,
        message: str,
        hint: str,
        about: dict[str, Any] | None = None,
        silence: Silence = Silence.UNTOLD,
    ) -> None:
        pci = about["pci"] if about else None
        where = f"gpu {index}" + (f" ({pci})" if pci else "")
        trouble = Trouble(message=message, hint=hint, gpu=where)
        uuid = about["uuid"] if about else None
        self._unreadable.append(Unreadable(index=index, trouble=trouble, pci=pci, uuid=uuid, silence=silence))

    def _joined(self, told: dict[str, Any]) -> Gpu:
        """With what /sys and /proc know: the driver's own word on NUMA is about its memory, not about closeness."""
        gpu = msgspec.convert(told, Gpu)
        near = host_files.neighbourhood(self._root, gpu.pci)
        processes = tuple(host_files.described(self._root, process) for process in gpu.processes)
        partial = gpu.partial
        if gpu.minor is not None and host_files.node_missing(self._root, f"nvidia{gpu.minor}"):
            partial = (*partial, f"its device node /dev/nvidia{gpu.minor} is missing: nvidia-modprobe makes it")
        return replace(gpu, numa_node=near.numa_node, pcie_root=near.pcie_root, processes=processes, partial=partial)

    def _missing(self, *, counted: bool) -> None:
        """GPUs on the bus that nobody counted; those that don't answer to their index aren't told twice."""
        known = {gpu.pci for gpu in self._gpus} | {each.pci for each in self._unreadable}
        nameless = sum(each.pci is None for each in self._unreadable)
        missing = [pci for pci in host_files.display_devices(self._root, NVIDIA) if pci not in known]
        if nameless and len(missing) == nameless:
            self._unreadable = [
                replace(each, pci=missing.pop(0)) if each.pci is None else each for each in self._unreadable
            ]
            self._unreadable = [
                replace(each, trouble=replace(each.trouble, gpu=f"gpu {each.index} ({each.pci})"))
                for each in self._unreadable
            ]
        for pci in missing:
            trouble = _uncounted(pci, host_files.driver_of(self._root, pci), self._kind(pci), counted=counted)
            self._unreadable.append(Unreadable(index=None, trouble=trouble, pci=pci, silence=Silence.NOT_COUNTED))

    def _kind(self, pci: str) -> str:
        """What a GPU is by its PCI id alone."""
        identity = host_files.pci_id(self._root, pci) or ""
        model = by_pci_id(identity)
        return f"{model.key} by its PCI id, {identity}" if model is not None else f"PCI id {identity}"


def _uncounted(pci: str, bound: str | None, kind: str, *, counted: bool) -> Trouble:
    """What to say of a GPU on the bus that no driver tells of.

    Args:
        pci: its address.
        bound: the kernel's driver that it's bound to.
        kind: what it is.
        counted: whether NVIDIA's driver answered, and counted others.
    """
    lent, foreign = bound == "vfio-pci", bound not in {None, "nvidia", "vfio-pci"}
    message = f"{kind}, bound to {bound or 'no driver'}: "
    message += (
        "not counted by the NVIDIA driver" if counted else "nothing else is known of it without the NVIDIA driver"
    )
    hint = "it may have failed to start: see dmesg" if counted else ""
    if lent or foreign:
        hint = "lent to virtual machines" if lent else f"{bound} keeps it from the NVIDIA driver: unbind it"
    return Trouble(message=message, hint=hint, gpu=f"gpu at {pci}")


def _hint(code: int) -> str:
    return "run as root, or look at the permissions of its device node" if code == 4 else ""
