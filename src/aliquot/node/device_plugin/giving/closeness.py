"""How close GPUs are to each other: by NVLinks, PCIe roots, NUMA nodes."""

from collections.abc import Mapping, Sequence
from typing import Final

from aliquot.devices.gpu import Gpu
from aliquot.node.device_plugin.offering.resource import Unit

LINK: Final = 100
"""For each active NVLink between two GPUs; through NVSwitches, as many as the one with fewer has."""
BOARD: Final = 40
"""For MIG devices of one GPU."""
ROOT: Final = 20
"""For a PCIe root in common."""
NUMA: Final = 10


def closeness(one: Gpu, other: Gpu, *, linked: bool = True) -> int:
    """How close two GPUs are. What isn't known counts nothing.

    Args:
        one: a GPU.
        other: another, or the same.
        linked: whether programs can use NVLinks; on MIG devices they can't.
    """
    same = one.uuid == other.uuid
    links = _links(one, other) if linked and not same else 0
    root = one.pcie_root is not None and one.pcie_root == other.pcie_root
    numa = one.numa_node is not None and one.numa_node == other.numa_node
    return LINK * links + BOARD * same + ROOT * root + NUMA * numa


def _links(one: Gpu, other: Gpu) -> int:
    direct = sum(link.active and link.remote_pci == other.pci for link in one.links)
    switched = min(sum(link.active and link.remote == "switch" for link in gpu.links) for gpu in (one, other))
    return direct or switched


def distances(units: Sequence[Unit], gpus: Mapping[str, Gpu]) -> list[list[int]]:
    """The closeness of each unit to each other one; of GPUs that aren't known nothing counts."""
    found = [[0] * len(units) for _ in units]
    for number, unit in enumerate(units):
        for other in range(number):
            one, two = gpus.get(unit.gpu), gpus.get(units[other].gpu)
            if one is not None and two is not None:
                whole = unit.uuid == unit.gpu and units[other].uuid == units[other].gpu
                found[number][other] = found[other][number] = closeness(one, two, linked=whole)
    return found
