"""The file of a simulated host: its shape."""

import msgspec


class Driver(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """The driver's versions."""

    version: str = "580.65.06"
    cuda: str = "13.0"


class Process(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """A process on a GPU, or on one of its instances (by where that starts)."""

    pid: int
    memory_mi_b: int | None = msgspec.field(default=None, name="memoryMiB")
    start: int | None = None
    kind: str = "compute"
    name: str | None = None
    container: str | None = None
    pod: str | None = None


class Gpu(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """One GPU. What isn't given follows from its model and its place in the list."""

    model: str
    """A name that the catalogue knows."""
    name: str | None = None
    """As the driver spells it."""
    uuid: str | None = None
    minor: int | None = None
    pci: str | None = None
    pcie_root: str | None = None
    numa: int | None = None
    memory_mi_b: int | None = msgspec.field(default=None, name="memoryMiB")
    used_mi_b: int | None = msgspec.field(default=None, name="usedMiB")
    """What is used beside the processes below."""
    persistence: bool = True
    ecc: bool | None = None
    mig: bool = False
    instances: list[str] = []
    """Such as `3g.20gb@0`."""
    links: int = 0
    """NVLinks, all active, to switches."""
    temperature_c: int = 35
    power_w: int = 60
    busy_percent: int = 0
    """Of the GPU; with MIG, of every instance that a process is on."""
    processes: list[Process] = []
    compute_mode: str = "default"
    recovery: str | None = None
    """What its driver wants done, such as `reset`; left out: what the XIDs of its faults imply."""


class Nic(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """One network card."""

    pci: str
    kind: str = "ethernet"
    interfaces: list[str] = []
    rdma: list[str] = []
    up: bool = True
    speed_mbps: int | None = None
    numa: int | None = None
    pcie_root: str | None = None


class Fault(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Something that goes wrong."""

    gpu: int | None = None
    """Its number in the list; left out: any GPU."""
    call: str | None = None
    """A method of the host, such as `createInstance`, that fails or is slow."""
    nth: int | None = None
    """Only at this call of it, counted from 1."""
    refused: str | None = None
    """The reason that it gives, such as `in use`."""
    slow_ms: int | None = None
    """How long the call takes; past the host's limit it's a hang."""
    lost: bool = False
    """The GPU fell off the bus."""
    xid: int | None = None
    """An XID that the GPU tells once."""


class HostFile(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """The whole file."""

    gpus: list[Gpu]
    name: str | None = None
    driver: Driver = msgspec.field(default_factory=Driver)
    nics: list[Nic] = []
    clients: list[str] = []
    """Programs that hold the driver open, such as nvidia-persistenced: they block resets and mode changes."""
    privileged: bool = True
    mig_uuids: str = "stable"
    """`stable`: an instance made anew at the same place has the same UUID; `fresh`: another."""
    faults: list[Fault] = []
