"""What /sys, /proc, /dev and the kernel's log tell of GPUs and their processes, below a root that tests choose."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from aliquot.devices.gpu import Process
from aliquot.devices.survey import Xid

_MODULE = re.compile(r"Kernel Module(?: for \S+)?\s+(?P<version>[0-9.]+)")
_XID = re.compile(
    r"NVRM: Xid \(PCI:(?P<bus>[0-9a-fA-F:]+)(?: GPU-I:(?P<gi>[0-9]+))?(?: GPU-CI:(?P<ci>[0-9]+))?\): (?P<number>[0-9]+)"
)
_CONTAINER = re.compile(r"([0-9a-f]{64})")
_POD = re.compile(r"pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12})")
_ROOT = re.compile(r"pci[0-9a-f]{4,8}:[0-9a-f]{2}")
_LOG_RECORDS = 100_000


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What a PCI device is near to."""

    numa_node: int | None = None
    pcie_root: str | None = None


def text(path: Path) -> str | None:
    """A small file's words; None where it can't be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def number(path: Path) -> int | None:
    """A small file's number, decimal or 0x; None where there is none."""
    with suppress(ValueError):
        return int(text(path) or "", 0)
    return None


def pci_folder(root: Path, pci: str) -> Path:
    """The folder of a PCI device."""
    return root / "sys/bus/pci/devices" / pci


def neighbourhood(root: Path, pci: str) -> Neighbourhood:
    """The NUMA node (-1 in sysfs: none) and the PCIe root of a device."""
    folder = pci_folder(root, pci)
    node = number(folder / "numa_node")
    with suppress(OSError):
        found = [part for part in Path(os.path.realpath(folder)).parts if _ROOT.fullmatch(part)]
        return Neighbourhood(None if node is None or node < 0 else node, found[0] if found else None)
    return Neighbourhood()


def driver_of(root: Path, pci: str) -> str | None:
    """The kernel driver that a device is bound to."""
    with suppress(OSError):
        return Path(os.readlink(pci_folder(root, pci) / "driver")).name  # noqa: PTH115 - the link's words only
    return None


def pci_devices(root: Path) -> tuple[str, ...]:
    """The PCI addresses of all devices, in order."""
    with suppress(OSError):
        return tuple(sorted(os.listdir(root / "sys/bus/pci/devices")))  # noqa: PTH208 - names only
    return ()


def pci_id(root: Path, pci: str) -> str | None:
    """`10de:20b0`."""
    vendor, device = number(pci_folder(root, pci) / "vendor"), number(pci_folder(root, pci) / "device")
    return None if vendor is None or device is None else f"{vendor:04x}:{device:04x}"


def pci_class(root: Path, pci: str) -> int:
    """The class of a device, its programming interface left out; 0 where it isn't known."""
    return (number(pci_folder(root, pci) / "class") or 0) >> 8


def display_devices(root: Path, vendor: str) -> tuple[str, ...]:
    """A vendor's GPUs on the bus: class 03xx (NVIDIA's data centre parts are 3D controllers)."""
    return tuple(
        pci
        for pci in pci_devices(root)
        if pci_class(root, pci) >> 8 == 0x03 and (pci_id(root, pci) or "").startswith(f"{vendor}:")
    )


def module_version(root: Path) -> str | None:
    """The version of NVIDIA's kernel module that is loaded."""
    match = _MODULE.search(text(root / "proc/driver/nvidia/version") or "")
    return match["version"] if match else None


def node_missing(root: Path, name: str) -> bool:
    """Whether a device node is missing where others of the driver are there."""
    return (root / "dev/nvidiactl").exists() and not (root / "dev" / name).exists()


def described(root: Path, process: Process) -> Process:
    """A process with its name and, by its cgroup, its container and its pod."""
    folder = root / "proc" / str(process.pid)
    groups = text(folder / "cgroup") or ""
    container, pod = _CONTAINER.findall(groups), _POD.search(groups)
    return replace(
        process,
        name=text(folder / "comm") or process.name,
        container=container[-1] if container else process.container,
        pod=pod[1].replace("_", "-") if pod else process.pod,
    )


def logged_xids(root: Path) -> tuple[Xid, ...] | None:
    """The XIDs of the kernel's log since boot, oldest first; `gpu` is a PCI address. None: it can't be read."""
    log = _kernel_log(root / "dev/kmsg")
    return None if log is None else xids_in(log)


def xids_in(log: str) -> tuple[Xid, ...]:
    """The XIDs in lines of a kernel log."""
    return tuple(
        Xid(
            gpu=_address(match["bus"]),
            number=int(match["number"]),
            gi=None if match["gi"] is None else int(match["gi"]),
            ci=None if match["ci"] is None else int(match["ci"]),
        )
        for match in _XID.finditer(log)
    )


def _address(bus: str) -> str:
    """`0000:65:00` of a log line as a PCI address."""
    return f"{bus.lower()}.0"


def _kernel_log(path: Path) -> str | None:
    """What's in the log now; reading a record at a time, as /dev/kmsg wants it."""
    parts: list[bytes] = []
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        while len(parts) < _LOG_RECORDS:
            try:
                part = os.read(descriptor, 8192)
            except BrokenPipeError:  # records were overwritten while reading: go on behind them
                continue
            except OSError:  # nothing more for now
                break
            if not part:
                break
            parts.append(part)
    finally:
        os.close(descriptor)
    return b"".join(parts).decode(errors="replace")
