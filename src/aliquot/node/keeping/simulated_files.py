"""The driver files and device nodes that a simulated host would have: all there, at their usual places.

With a simulated host there's nothing on the disk. A spec that's made from these files is whole, and held against them
as a real one is held against a machine's.
"""

import posixpath
from collections.abc import Iterator
from typing import Final

from aliquot.cdi.generate.inventory import Driver, FoundNode, Inventory, Library, Nic
from aliquot.cdi.generate.nvidia import CONTROL_NODES
from aliquot.cdi.host_findings import FileFacts, HostFiles
from aliquot.cdi.host_nodes import HostNode
from aliquot.devices.survey import Survey

_FOLDER: Final = "/usr/lib/x86_64-linux-gnu"
_LIBRARIES: Final = ("libcuda", "libnvidia-ml", "libnvidia-ptxjitcompiler")
_NVIDIA, _UVM, _CAPS, _UVERBS, _RDMA_CM = 195, 511, 237, 231, 10
"""Major numbers, as they are on most machines."""


class SimulatedFiles:
    """See `LocalFiles`; `missing` holds paths of nodes that aren't there, as on a machine that was just started."""

    def __init__(self) -> None:
        """Everything is there."""
        self.missing: set[str] = set()

    def inventory(self, survey: Survey) -> Inventory:
        """What the host has just now."""
        version = survey.driver.version if survey.driver is not None else None
        nodes = tuple(node for node in _nodes(survey) if node.path not in self.missing)
        return Inventory(
            driver=None if version is None else _driver(version),
            nodes=nodes,
            capabilities=dict(_capabilities(survey)),
            nics=tuple(
                Nic(name=name, nodes=(f"uverbs{number}",), address=address)
                for number, (name, address) in enumerate(_rdma(survey))
            ),
        )

    def host(self, inventory: Inventory) -> HostFiles:
        """What a spec is held against: the same."""
        return _Simulated(inventory)


class _Simulated:
    """A host that has what an inventory says, and every program."""

    def __init__(self, inventory: Inventory) -> None:
        self._nodes = {node.path: node for node in inventory.nodes}
        self._driver = inventory.driver

    def lstat(self, path: str) -> HostNode | str:
        found = self._nodes.get(path)
        return "there's no such file" if found is None else HostNode("c", found.major, found.minor, found.mode)

    def file(self, path: str) -> FileFacts | None:
        return FileFacts(0o755) if path not in self._nodes else None

    def names(self, folder: str) -> tuple[str, ...]:
        return tuple(sorted(posixpath.basename(path) for path in self._nodes if posixpath.dirname(path) == folder))

    def driver_version(self) -> str | None:
        return self._driver.version if self._driver is not None else None


def _driver(version: str) -> Driver:
    libraries = (Library(path=f"{_FOLDER}/{name}.so.{version}", soname=f"{name}.so.1") for name in _LIBRARIES)
    return Driver(version=version, folders=(_FOLDER,), libraries=tuple(libraries))


def _nodes(survey: Survey) -> Iterator[FoundNode]:
    for number, path in enumerate(CONTROL_NODES if survey.driver is not None else ()):
        yield FoundNode(path=path, major=_UVM if "uvm" in path else _NVIDIA, minor=number)
    for gpu in survey.gpus:
        if gpu.minor is not None:
            yield FoundNode(path=f"/dev/nvidia{gpu.minor}", major=_NVIDIA, minor=gpu.minor)
    for _, minor in _capabilities(survey):
        yield FoundNode(path=f"/dev/nvidia-caps/nvidia-cap{minor}", major=_CAPS, minor=minor)
    for number, _ in enumerate(_rdma(survey)):
        yield FoundNode(path=f"/dev/infiniband/uverbs{number}", major=_UVERBS, minor=192 + number)
    if any(True for _ in _rdma(survey)):
        yield FoundNode(path="/dev/infiniband/rdma_cm", major=_RDMA_CM, minor=58)


def _capabilities(survey: Survey) -> Iterator[tuple[str, int]]:
    """Those of the instances that are there, by the numbers that NVIDIA's kernel module gives them."""
    for gpu in survey.gpus:
        for instance in gpu.instances if gpu.minor is not None else ():
            first = 3 + 135 * (gpu.minor or 0) + 9 * instance.id
            name = f"gpu{gpu.minor}/gi{instance.id}"
            yield f"{name}/access", first
            for compute in instance.compute:
                yield f"{name}/ci{compute.id}/access", first + 1 + compute.id


def _rdma(survey: Survey) -> Iterator[tuple[str, str]]:
    return ((name, nic.pci) for nic in survey.nics for name in nic.rdma)
