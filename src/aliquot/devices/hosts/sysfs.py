"""What /sys shows without any driver's library: network cards, and GPUs of other vendors as whole devices."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from aliquot.devices.activity import Activity
from aliquot.devices.catalogue import by_pci_id
from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.hosts import host_files
from aliquot.devices.hosts.protocol import GpuLost, Refused
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.links import Accelerator, Nic
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.survey import Survey, Trouble, Unreadable, Xid

_VENDORS: Final = {"1002": "amd", "8086": "intel"}
_NVIDIA: Final = "10de"
_LINK_LAYERS: Final = {"Ethernet": "ethernet", "InfiniBand": "infiniband"}
_NET_TYPES: Final = {1: "ethernet", 32: "infiniband"}
"""ARPHRD_ETHER and ARPHRD_INFINIBAND."""
_NODE: Final = re.compile(r"(?P<kind>card|renderD)(?P<number>[0-9]+)")


class SysfsHost:
    """A `Host` that only looks: nothing can be changed through /sys alone, and NVIDIA's GPUs are seen, not known."""

    def __init__(self, root: Path = Path("/")) -> None:
        """Name the folder that holds /sys."""
        self._root = root

    def survey(self) -> Survey:
        """See `Host`."""
        if not (self._root / "sys/bus/pci/devices").is_dir():
            trouble = Trouble(
                message=f"there is no {self._root / 'sys/bus/pci/devices'}", hint="sysfs:DIR, where DIR holds sys/"
            )
            return Survey(host=f"sysfs:{self._root}", troubles=(trouble,))
        return Survey(
            host=f"sysfs:{self._root}",
            unreadable=tuple(
                Unreadable(index=None, pci=pci, trouble=_trouble(pci))
                for pci in host_files.display_devices(self._root, _NVIDIA)
            ),
            accelerators=tuple(
                self._accelerator(pci, vendor)
                for code, vendor in _VENDORS.items()
                for pci in host_files.display_devices(self._root, code)
            ),
            nics=self._nics(),
        )

    def _accelerator(self, pci: str, vendor: str) -> Accelerator:
        folder, near = host_files.pci_folder(self._root, pci), host_files.neighbourhood(self._root, pci)
        identity = host_files.pci_id(self._root, pci) or ""
        model = by_pci_id(identity)
        nodes = [match for name in _names(folder / "drm") if (match := _NODE.fullmatch(name))]
        numbers = {match["kind"]: int(match["number"]) for match in nodes}
        return Accelerator(
            pci=pci,
            pci_id=identity,
            vendor=vendor,
            driver=host_files.driver_of(self._root, pci),
            name=host_files.text(folder / "product_name") or (model.products[0] if model else None),
            numa_node=near.numa_node,
            pcie_root=near.pcie_root,
            memory=host_files.number(folder / "mem_info_vram_total"),
            card=numbers.get("card"),
            render=numbers.get("renderD"),
        )

    def _nics(self) -> tuple[Nic, ...]:
        """Every PCI function with a network interface or an RDMA device."""
        interfaces, rdma = self._functions("net"), self._functions("infiniband")
        return tuple(self._nic(pci, interfaces.get(pci, ()), rdma.get(pci, ())) for pci in sorted({*interfaces, *rdma}))

    def _functions(self, kind: str) -> dict[str, tuple[str, ...]]:
        """The names of a class's devices by PCI address; those of no PCI device are left out."""
        found: dict[str, tuple[str, ...]] = {}
        for name in _names(self._root / "sys/class" / kind):
            with suppress(OSError):
                pci = Path(os.path.realpath(self._root / "sys/class" / kind / name / "device")).name
                if host_files.pci_folder(self._root, pci).exists():
                    found[pci] = (*found.get(pci, ()), name)
        return found

    def _nic(self, pci: str, interfaces: tuple[str, ...], rdma: tuple[str, ...]) -> Nic:
        near = host_files.neighbourhood(self._root, pci)
        ports = [self._root / "sys/class/infiniband" / name / "ports/1" for name in rdma]
        nets = [self._root / "sys/class/net" / name for name in interfaces]
        states = [words == "up" for net in nets if (words := host_files.text(net / "operstate"))]
        states += ["ACTIVE" in words for port in ports if (words := host_files.text(port / "state"))]
        speeds = [speed for net in nets if (speed := host_files.number(net / "speed")) is not None and speed > 0]
        return Nic(
            pci=pci,
            pci_id=host_files.pci_id(self._root, pci),
            kind=_kind(ports, nets),
            interfaces=interfaces,
            rdma=rdma,
            up=any(states) if states else None,
            speed_mbps=max(speeds) if speeds else _rate(ports),
            numa_node=near.numa_node,
            pcie_root=near.pcie_root,
            virtual_function=(host_files.pci_folder(self._root, pci) / "physfn").exists(),
        )

    # --- what /sys can't do ----------------------------------------------------------------------------------------
    def geometry(self, gpu: str) -> Geometry | Refused:
        """See `Host`."""
        self._unknown(gpu)

    def set_mig_mode(self, gpu: str, *, enabled: bool) -> MigMode | Refused:
        """See `Host`."""
        del enabled
        self._unknown(gpu)

    def create_instance(self, gpu: str, place: Placement) -> Instance | Refused:
        """See `Host`."""
        del place
        self._unknown(gpu)

    def destroy_instance(self, gpu: str, instance: int) -> Refused | None:
        """See `Host`."""
        del instance
        self._unknown(gpu)

    def set_compute_mode(self, gpu: str, mode: ComputeMode) -> Refused | None:
        """See `Host`."""
        del mode
        self._unknown(gpu)

    def set_time_slice(self, gpu: str, length: TimeSlice) -> Refused | None:
        """See `Host`."""
        del length
        self._unknown(gpu)

    def reset(self, gpu: str) -> Refused | None:
        """See `Host`."""
        self._unknown(gpu)

    def events(self, timeout_s: float) -> tuple[Xid, ...]:
        """See `Host`: there are none, and nothing is waited for."""
        del timeout_s
        return ()

    def activity(self, gpu: str) -> tuple[Activity, ...]:
        """See `Host`."""
        self._unknown(gpu)

    def release(self) -> None:
        """See `Host`: nothing is held."""

    def _unknown(self, gpu: str) -> NoReturn:
        raise GpuLost("no GPU with a driver is known here", gpu=gpu, hint="--host nvml")


def _trouble(pci: str) -> Trouble:
    return Trouble(message="an NVIDIA GPU: only its driver tells more", hint="--host nvml", gpu=f"gpu at {pci}")


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names only
    except OSError:
        return []


def _kind(ports: list[Path], nets: list[Path]) -> str:
    """By the RDMA port's link layer, else by the interface's type: a card's PCI class tells what it was, not is."""
    layers = [_LINK_LAYERS.get(host_files.text(port / "link_layer") or "") for port in ports]
    types = [_NET_TYPES.get(host_files.number(net / "type") or 0) for net in nets]
    return next((kind for kind in (*layers, *types) if kind is not None), "unknown")


def _rate(ports: list[Path]) -> int | None:
    """The speed of an RDMA port: its file says `200 Gb/sec (4X HDR)`."""
    for port in ports:
        words = (host_files.text(port / "rate") or "").split()
        if len(words) > 1 and words[1].startswith("Gb"):
            with suppress(ValueError):
                return int(float(words[0]) * 1000)
    return None
