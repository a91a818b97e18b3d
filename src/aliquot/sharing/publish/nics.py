"""Network cards as devices: those of which a container can get a part without taking the node off the network.

That's RDMA devices, which are reached by device nodes, and virtual functions, whose interface may move. An ordinary
card's only interface is the node's own way out.
"""

from collections.abc import Sequence
from typing import Final

from aliquot.devices.links import Nic
from aliquot.dra.device import Capacity, Device, DeviceTaint
from aliquot.sharing.publish.amounts import count
from aliquot.sharing.publish.attributes import network_card
from aliquot.sharing.publish.health import LINK_DOWN, NO_SCHEDULE

_BITS: Final = 1_000_000


def nic_devices(nics: Sequence[Nic]) -> tuple[Device, ...]:
    """A device for each card that may be given away, by PCI address."""
    return tuple(_device(nic) for nic in sorted(nics, key=lambda one: one.pci) if nic.rdma or nic.virtual_function)


def _device(nic: Nic) -> Device:
    """Named by its place (`nic-0000-9a-00-0`): interfaces may be renamed."""
    speed = {} if nic.speed_mbps is None else {"bandwidth": Capacity(count(nic.speed_mbps * _BITS))}
    down = (DeviceTaint(LINK_DOWN, NO_SCHEDULE),) if nic.up is False else ()
    return Device(f"nic-{nic.pci.replace(':', '-').replace('.', '-')}", network_card(nic), speed, taints=down)
