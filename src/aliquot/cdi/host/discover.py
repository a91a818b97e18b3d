"""An inventory of this machine: driver, device nodes, GPUs from /proc and /sys, without NVML. An edge.

NVML knows more: UUIDs and numbers of MIG devices, and whether MIG is on without any instance. Where it can be asked,
`sharing.inventory` replaces `gpus` by what it says.
"""

import os
import re
from collections.abc import Iterator

from aliquot.cdi.generate.inventory import DrmGpu, FoundNode, Gpu, Inventory, MigDevice, Nic
from aliquot.cdi.host.driver_files import find_driver, find_wsl
from aliquot.cdi.host.tree import Tree

NODES = (
    "/dev/nvidia*",
    "/dev/nvidia-caps/nvidia-cap*",
    "/dev/nvidia-caps-imex-channels/channel*",
    "/dev/dri/card*",
    "/dev/dri/renderD*",
    "/dev/infiniband/*",
    "/dev/gdrdrv",
    "/dev/dxg",
    "/dev/kfd",
)
_CAPABILITIES = "/proc/driver/nvidia/capabilities"
_VENDORS = {"0x1002": "amd", "0x8086": "intel"}
_NVIDIA = "0x10de"


def discover(driver_root: str = "/", dev_root: str = "", system_root: str = "/") -> Inventory:
    """What this machine has.

    `driver_root` is where the NVIDIA driver's files are, `dev_root` ("" for the driver root) where `/dev` is, and
    `system_root` where `/proc` and `/sys` are.
    """
    driver_tree, system = Tree(driver_root or "/"), Tree(system_root)
    devices = Tree(dev_root or driver_tree.root)
    nodes = tuple(_nodes(devices))
    links = {path: devices.link_text(path) or "" for path in devices.glob("/dev/dri/by-path/pci-*")}
    gpus, notes = _gpus(system, nodes, links)
    return Inventory(
        driver_root=driver_tree.root,
        dev_root=devices.root,
        driver=find_driver(
            driver_tree,
            kernel=os.uname().release,
            firmware_folder=system.text("/sys/module/firmware_class/parameters/path") or "",
        ),
        gpus=gpus,
        nodes=nodes,
        dev_links={path: text for path, text in links.items() if text},
        capabilities=_capabilities(system),
        drm_gpus=tuple(_drm_gpus(system)),
        nics=tuple(_nics(system)),
        wsl=find_wsl(driver_tree),
        notes=notes,
    )


def driver_version(system: Tree) -> str | None:
    """The version of the NVIDIA kernel module that is loaded, or None."""
    text = system.text("/proc/driver/nvidia/version") or ""
    match = re.search(r"NVRM version:.*?\s(\d+\.\d+(?:\.\d+)?)\s", text)
    return match.group(1) if match is not None else None


def _nodes(devices: Tree) -> Iterator[FoundNode]:
    found = {path: devices.character_device(path) for pattern in NODES for path in devices.glob(pattern)}
    yield from (node for node in found.values() if node is not None)


def _gpus(system: Tree, nodes: tuple[FoundNode, ...], links: dict[str, str]) -> tuple[tuple[Gpu, ...], tuple[str, ...]]:
    addresses = [path.rpartition("/")[2] for path in system.glob("/proc/driver/nvidia/gpus/*")]
    if addresses:
        return tuple(_known_gpus(system, sorted(addresses))), ()
    minors = sorted(int(match.group(1)) for node in nodes if (match := re.fullmatch(r"/dev/nvidia(\d+)", node.path)))
    if not minors:
        return (), ()
    cards = sorted(path.removeprefix("/dev/dri/by-path/pci-") for path in links if path.endswith("-card"))
    places = [card.removesuffix("-card") for card in cards if _may_be_nvidia(system, card.removesuffix("-card"))]
    note = "/proc/driver/nvidia/gpus isn't there: GPUs are taken from their device nodes, without UUIDs"
    if len(places) != len(minors):
        return tuple(Gpu(index=i, minor=minor) for i, minor in enumerate(minors)), (note,)
    gpus = [
        Gpu(index=i, minor=minor, address=place, drm_nodes=_linked(links, place))
        for i, (minor, place) in enumerate(zip(minors, places, strict=True))
    ]
    return tuple(gpus), (f"{note}, and their DRM nodes by the order of their PCI addresses",)


def _may_be_nvidia(system: Tree, address: str) -> bool:
    return (system.text(f"/sys/bus/pci/devices/{address}/vendor") or _NVIDIA) == _NVIDIA


def _linked(links: dict[str, str], address: str) -> tuple[str, ...]:
    targets = (links.get(f"/dev/dri/by-path/pci-{address}-{end}", "") for end in ("card", "render"))
    return tuple(target.rpartition("/")[2] for target in targets if target)


def _known_gpus(system: Tree, addresses: list[str]) -> Iterator[Gpu]:
    for index, address in enumerate(addresses):
        text = system.text(f"/proc/driver/nvidia/gpus/{address}/information") or ""
        facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
        minor = facts.get("Device Minor", "")
        uuid = facts.get("GPU UUID", "")
        if facts.get("GPU Excluded", "No") == "Yes":
            continue
        number = int(minor) if minor.isdigit() else index
        yield Gpu(
            index=index,
            minor=number,
            uuid="" if "?" in uuid else uuid,  # the driver writes question marks until the GPU was used once
            address=address,
            drm_nodes=_drm_names(system, f"/sys/bus/pci/devices/{address}"),
            mig=_mig(system, number),
        )


def _mig(system: Tree, minor: int) -> tuple[MigDevice, ...] | None:
    """The MIG devices of a GPU in the order of their instances; None where there's no instance."""
    pairs: list[tuple[int, int]] = []
    for path in system.glob(f"{_CAPABILITIES}/gpu{minor}/mig/gi*/ci*"):
        match = re.search(r"/gi(\d+)/ci(\d+)$", path)
        if match is not None:
            pairs.append((int(match.group(1)), int(match.group(2))))
    devices = [MigDevice(index=i, gpu_instance=gi, compute_instance=ci) for i, (gi, ci) in enumerate(sorted(pairs))]
    return tuple(devices) or None


def _drm_names(system: Tree, device: str) -> tuple[str, ...]:
    names = system.names(f"{device}/drm")
    return tuple(name for name in names if re.fullmatch(r"(card|renderD)\d+", name))


def _capabilities(system: Tree) -> dict[str, int]:
    """The minor numbers of MIG capabilities: those of live instances by their own files, which tell what exists.

    The driver's table (mig-minors) holds a line for every instance that there could ever be: it's asked for numbers
    only where those files can't be read.
    """
    found: dict[str, int] = {}
    for line in (system.text("/proc/driver/nvidia-caps/mig-minors") or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[1].isdigit():
            found[words[0]] = int(words[1])
    for pattern in ("gi*/access", "gi*/ci*/access"):
        for path in system.glob(f"{_CAPABILITIES}/gpu*/mig/{pattern}"):
            number = re.search(r"^DeviceFileMinor:\s*(\d+)", system.text(path) or "", re.MULTILINE)
            if number is not None:
                found[path.removeprefix(f"{_CAPABILITIES}/").replace("/mig/", "/")] = int(number[1])
    return found


def _drm_gpus(system: Tree) -> Iterator[DrmGpu]:
    """AMD's and Intel's GPUs by address. AMD's further partitions are platform devices, after their GPU's first."""
    devices = {system.resolve(f"{path}/device") for path in system.glob("/sys/class/drm/renderD*")}
    for device in sorted(device for device in devices if device is not None):
        address = device.rpartition("/")[2]
        vendor = _VENDORS.get(system.text(f"{device}/vendor") or "")
        if address.startswith("amdgpu_xcp"):
            vendor = "amd"
        names = _drm_names(system, device)
        unique = system.text(f"{device}/unique_id") or ""
        if vendor == "amd":
            yield DrmGpu(vendor="amd", address=address, drm_nodes=names, unique_id=unique)
        elif vendor == "intel":
            yield DrmGpu(vendor="intel", address=address, drm_nodes=names, unique_id=unique)


def _nics(system: Tree) -> Iterator[Nic]:
    for path in system.glob("/sys/class/infiniband/*"):
        device = system.resolve(f"{path}/device")
        if device is None:
            continue
        name = path.rpartition("/")[2]
        nodes = [*system.names(f"{device}/infiniband_verbs"), *system.names(f"{device}/infiniband_mad")]
        yield Nic(name=name, nodes=tuple(nodes), address=device.rpartition("/")[2])
