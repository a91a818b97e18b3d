"""The attributes of published devices. What the host didn't tell is left out: an attribute is a fact."""

import re
from collections.abc import Mapping
from typing import Final

from aliquot.devices.gpu import Gpu
from aliquot.devices.links import Nic
from aliquot.devices.survey import Driver
from aliquot.dra.device import Attribute

PCIE_ROOT: Final = "resource.kubernetes.io/pcieRoot"
PCI_BUS_ID: Final = "resource.kubernetes.io/pciBusID"
NUMA_NODE: Final = "resource.kubernetes.io/numaNode"

_ARCHITECTURES: Final = {"Ada": "Ada Lovelace"}
"""Where NVIDIA's driver spells an architecture otherwise than the catalogue."""
_VERSION: Final = re.compile(r"([0-9]+)(?:\.([0-9]+))?(?:\.([0-9]+))?")


def whole(gpu: Gpu, driver: Driver | None) -> dict[str, Attribute]:
    """Those of a whole GPU."""
    return {"type": text("gpu"), "uuid": text(gpu.uuid), **_common(gpu, driver)}


def partition(gpu: Gpu, driver: Driver | None, profile: str, uuid: str | None = None) -> dict[str, Attribute]:
    """Those of a MIG device; without a UUID, it isn't made yet."""
    own = {"uuid": text(uuid)} if uuid is not None else {}
    return {
        "type": text("mig"),
        **own,
        "profile": text(profile),
        "parentUUID": text(gpu.uuid),
        **_common(gpu, driver),
    }


def network_card(nic: Nic) -> dict[str, Attribute]:
    """Those of a network card."""
    found = {"type": text("nic"), "virtualFunction": Attribute("bool", nic.virtual_function)}
    if nic.kind != "unknown":
        found["kind"] = text(nic.kind)
    for name, words in (("rdmaDevice", nic.rdma), ("interface", nic.interfaces)):
        if words:
            found[name] = text(words[0])
    if nic.pci_id is not None:
        vendor, _, device = nic.pci_id.partition(":")
        found |= {"vendorID": text(vendor), "deviceID": text(device)}
    return {**found, **_place(nic.pci, nic.pcie_root, nic.numa_node)}


def text(value: str) -> Attribute:
    """A string."""
    return Attribute("string", value)


def version_of(words: str | None) -> str | None:
    """`580.65.06` as the semantic version 580.65.6, `9.0` as 9.0.0; None where it's nothing of the kind."""
    found = _VERSION.fullmatch(words or "")
    return None if found is None else ".".join(str(int(part or 0)) for part in found.groups())


def _common(gpu: Gpu, driver: Driver | None) -> dict[str, Attribute]:
    found = {"productName": text(gpu.name)}
    if gpu.brand is not None:
        found["brand"] = text(gpu.brand)
    if gpu.architecture is not None:
        found["architecture"] = text(_ARCHITECTURES.get(gpu.architecture, gpu.architecture))
    versions = {
        "cudaComputeCapability": gpu.compute_capability,
        "driverVersion": driver.version if driver is not None else None,
        "cudaDriverVersion": driver.cuda if driver is not None else None,
    }
    for name, words in versions.items():
        if (version := version_of(words)) is not None:
            found[name] = Attribute("version", version)
    if gpu.addressing_mode is not None:
        found["addressingMode"] = text(gpu.addressing_mode)
    return {**found, **_place(gpu.pci, gpu.pcie_root, gpu.numa_node)}


def _place(pci: str, root: str | None, numa: int | None) -> Mapping[str, Attribute]:
    """Where on the machine a device is: what claims match GPUs and network cards by."""
    found = {PCI_BUS_ID: text(pci)}
    if root is not None:
        found[PCIE_ROOT] = text(root)
    if numa is not None:
        found[NUMA_NODE] = Attribute("int", numa)
    return found
