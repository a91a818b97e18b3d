"""The checkpoint file of NVIDIA's DRA driver, field by field; fields that don't concern us are left out.

A file has `v1` and `v2` side by side, the older for downgrades. Go writes null for lists that are empty.

Source: the types of kubernetes-sigs/dra-driver-nvidia-gpu, cmd/gpu-kubelet-plugin (checkpoint.go, checkpointv.go,
prepared.go, deviceinfo.go), from 25.3 to August 2026.
"""

from typing import Literal

import msgspec

Kind = Literal["gpu", "mig", "vfio"]


class Known(msgspec.Struct, frozen=True):
    """What the kubelet was told of a device."""

    name: str | None
    pool: str
    requests: tuple[str, ...]
    cdi_ids: tuple[str, ...]
    share_id: str | None


class Told(msgspec.Struct, frozen=True):
    """The same in both spellings: `DeviceName` and, before 25.3, `device_name`."""

    DeviceName: str | None = None
    PoolName: str | None = None
    Requests: tuple[str, ...] | None = None
    CDIDeviceIDs: tuple[str, ...] | None = None
    ShareID: str | None = None
    device_name: str | None = None
    pool_name: str | None = None
    request_names: tuple[str, ...] | None = None
    cdi_device_ids: tuple[str, ...] | None = None

    @property
    def known(self) -> Known:
        """In one spelling."""
        return Known(
            self.DeviceName or self.device_name or None,
            self.PoolName or self.pool_name or "",
            self.Requests or self.request_names or (),
            self.CDIDeviceIDs or self.cdi_device_ids or (),
            self.ShareID,
        )


class Info(msgspec.Struct, frozen=True):
    """Which piece of hardware it is; the last three of MIG instances only."""

    uuid: str | None = None
    mig_uuid: str | None = msgspec.field(default=None, name="migUUID")
    parent: str | None = msgspec.field(default=None, name="parentUUID")
    instance: int | None = msgspec.field(default=None, name="giId")


class Held(msgspec.Struct, frozen=True):
    """A device; `concrete` stands where `info` stood, for MIG instances since 25.12."""

    device: Told
    info: Info = Info()
    live: Info | None = msgspec.field(default=None, name="concrete")


class Entry(msgspec.Struct, frozen=True):
    """One device, under its kind."""

    gpu: Held | None = None
    mig: Held | None = None
    vfio: Held | None = None

    @property
    def held(self) -> tuple[Kind, Held] | None:
        """The kind and the device; None: there's none, or more than one."""
        kinds: tuple[tuple[Kind, Held | None], ...] = (("gpu", self.gpu), ("mig", self.mig), ("vfio", self.vfio))
        filled: list[tuple[Kind, Held]] = [(kind, one) for kind, one in kinds if one is not None]
        return filled[0] if len(filled) == 1 else None


class State(msgspec.Struct, frozen=True):
    """What was set up for a group."""

    daemon: str = msgspec.field(default="", name="mpsControlDaemonID")


class Group(msgspec.Struct, frozen=True):
    """Devices that are configured alike."""

    devices: tuple[Entry, ...] | None = None
    state: State | None = msgspec.field(default=None, name="configState")


class Result(msgspec.Struct, frozen=True):
    """A device in a claim's allocation."""

    driver: str = ""
    pool: str = ""
    device: str = ""
    admin: bool | None = msgspec.field(default=None, name="adminAccess")


class Results(msgspec.Struct, frozen=True):
    """Of an allocation."""

    results: tuple[Result, ...] | None = None


class Allocation(msgspec.Struct, frozen=True):
    """Of a claim."""

    devices: Results | None = None


class Status(msgspec.Struct, frozen=True):
    """Of a claim, as the API server had it."""

    allocation: Allocation | None = None


class Claim(msgspec.Struct, frozen=True):
    """One claim; version 1 has no state, name or namespace."""

    state: str = msgspec.field(default="", name="checkpointState")
    status: Status | None = None
    devices: tuple[Group, ...] | None = msgspec.field(default=None, name="preparedDevices")
    name: str = ""
    namespace: str = ""

    @property
    def results(self) -> tuple[Result, ...]:
        """The devices that are allocated to it."""
        allocation = self.status.allocation if self.status is not None else None
        devices = allocation.devices if allocation is not None else None
        return (devices.results if devices is not None else None) or ()


class Body(msgspec.Struct, frozen=True):
    """One version."""

    claims: dict[str, Claim] | None = msgspec.field(default=None, name="preparedClaims")
    boot: str = msgspec.field(default="", name="nodeBootID")


class Checkpoint(msgspec.Struct, frozen=True):
    """The file."""

    version: str = ""
    v1: Body | None = None
    v2: Body | None = None
