"""A folder like a machine's root: PCI devices in /sys, and what else a test puts there."""

import os
from pathlib import Path


def pci_device(
    root: Path,
    pci: str,
    identity: str,
    kind: str = "0x030200",
    *,
    bridge: str = "pci0000:00",
    numa: int = -1,
    driver: str | None = None,
) -> Path:
    """A PCI function below its root complex, linked from the bus's folder as the kernel does."""
    vendor, device = identity.split(":")
    folder = root / "sys/devices" / bridge / f"{bridge[3:]}:01.0" / pci
    folder.mkdir(parents=True)
    for name, words in (("vendor", f"0x{vendor}"), ("device", f"0x{device}"), ("class", kind), ("numa_node", numa)):
        (folder / name).write_text(f"{words}\n", encoding="ascii")
    if driver is not None:
        target = root / "sys/bus/pci/drivers" / driver
        target.mkdir(parents=True, exist_ok=True)
        link(folder / "driver", target)
    bus = root / "sys/bus/pci/devices"
    bus.mkdir(parents=True, exist_ok=True)
    link(bus / pci, folder)
    return folder


def class_device(root: Path, kind: str, name: str, pci: Path, **files: str) -> Path:
    """A device of a class (net, infiniband), linked to its PCI function; `__` in a file's name is a slash."""
    folder = pci / kind / name
    folder.mkdir(parents=True)
    link(folder / "device", pci)
    for key, words in files.items():
        path = folder / key.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{words}\n", encoding="ascii")
    devices = root / "sys/class" / kind
    devices.mkdir(parents=True, exist_ok=True)
    link(devices / name, folder)
    return folder


def link(path: Path, target: Path) -> None:
    """A link as the kernel makes them: relative."""
    path.symlink_to(os.path.relpath(target, path.parent))


def file(root: Path, path: str, words: str) -> None:
    """A file anywhere."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(words, encoding="ascii")
