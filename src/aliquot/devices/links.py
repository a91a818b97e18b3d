"""What joins GPUs to each other and to the network: NVLinks, and network cards."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NvLink:
    """One NVLink of a GPU. Behind an NVSwitch every link's remote is the switch."""

    number: int
    active: bool
    remote: str = "unknown"
    """`gpu`, `switch`, `npu` or `unknown`."""
    remote_pci: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Nic:
    """A network card's function, as sysfs shows it."""

    pci: str
    """`0000:9a:00.0`."""
    pci_id: str | None = None
    kind: str = "unknown"
    """`ethernet` or `infiniband`: what its (first) port speaks now, whatever the card could; else `unknown`."""
    interfaces: tuple[str, ...] = ()
    """Network interfaces, such as `eth0`."""
    rdma: tuple[str, ...] = ()
    """RDMA devices, such as `mlx5_0`."""
    up: bool | None = None
    speed_mbps: int | None = None
    numa_node: int | None = None
    pcie_root: str | None = None
    virtual_function: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """A GPU of another vendor as a whole device; seen and described, not published."""

    pci: str
    pci_id: str
    vendor: str
    """`amd` or `intel`."""
    driver: str | None = None
    name: str | None = None
    numa_node: int | None = None
    pcie_root: str | None = None
    memory: int | None = None
    """Bytes."""
    card: int | None = None
    """N of /dev/dri/cardN."""
    render: int | None = None
    """N of /dev/dri/renderDN."""
