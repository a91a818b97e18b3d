"""What NVIDIA's DRA driver remembers of the claims that it has prepared. Pure: bytes to a value."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from aliquot.dra.device import DeviceId
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.neighbours import checkpoint_file as file
from aliquot.node.neighbours.found import GPU_DRIVER

FILE: Final = "checkpoint.json"
"""In the driver's folder below the kubelet's `plugins`."""
_COMPLETED: Final = "PrepareCompleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaDevice:
    """A device that was prepared."""

    kind: file.Kind
    device: DeviceId
    requests: tuple[str, ...]
    cdi_ids: tuple[str, ...]
    share_id: str | None = None
    uuid: str | None = None
    """Of the GPU, or of the MIG instance as it was then."""
    parent: str | None = None
    """The UUID of the MIG instance's GPU."""
    instance: int | None = None
    """The GPU instance's id, as the driver counts them."""
    mps_daemon: str | None = None
    """Of the group of devices that it's one of."""
    admin: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaClaim:
    """A claim, as far as it was prepared. Version 1 knows no name: it's empty then."""

    claim: ClaimRef
    completed: bool
    devices: tuple[NvidiaDevice, ...]
    allocated: tuple[DeviceId, ...] = ()
    """The devices of this driver in the claim's allocation, prepared or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NvidiaCheckpoint:
    """The newest of the versions in a file."""

    version: str
    boot: str | None
    """The boot in which it was last found valid; None: this version doesn't say."""
    claims: tuple[NvidiaClaim, ...]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Nothing can be said of what the driver holds."""

    why: str


def read_checkpoint(data: bytes) -> NvidiaCheckpoint | Unreadable:
    """What a file says. Its checksums are of Go's own rendering and aren't verified; one that is cut off is no JSON."""
    try:
        found = msgspec.json.decode(data, type=file.Checkpoint)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return Unreadable(str(error))
    version, body = ("v2", found.v2) if found.v2 is not None else ("v1", found.v1)
    if body is None:
        return Unreadable(f"it has neither v1 nor v2: its version is {found.version or 'not told'}")
    claims: list[NvidiaClaim] = []
    for uid, claim in sorted((body.claims or {}).items()):
        read = _claim(uid, claim, version)
        if isinstance(read, Unreadable):
            return read
        claims.append(read)
    return NvidiaCheckpoint(version=version, boot=body.boot or None, claims=tuple(claims))


def _claim(uid: str, claim: file.Claim, version: str) -> NvidiaClaim | Unreadable:
    rows = [row for row in claim.results if row.driver == GPU_DRIVER]
    looked_at = {row.device for row in rows if row.admin}
    devices: list[NvidiaDevice] = []
    for group, entry in _entries(claim):
        held = entry.held
        if held is None:
            return Unreadable(f"claim {uid} in {version} has a device that isn't one of gpu, mig and vfio")
        kind, one = held
        info, told = one.live or one.info, one.device.known
        if told.name is None:
            return Unreadable(f"claim {uid} in {version} has a device without a name")
        devices.append(
            NvidiaDevice(
                kind=kind,
                device=DeviceId(GPU_DRIVER, told.pool, told.name),
                requests=told.requests,
                cdi_ids=told.cdi_ids,
                share_id=told.share_id,
                uuid=info.mig_uuid or info.uuid,
                parent=info.parent,
                instance=info.instance,
                mps_daemon=(group.state.daemon if group.state is not None else "") or None,
                admin=told.name in looked_at,
            )
        )
    return NvidiaClaim(
        claim=ClaimRef(claim.namespace, claim.name, uid),
        completed=version == "v1" or claim.state == _COMPLETED,
        devices=tuple(devices),
        allocated=tuple(DeviceId(GPU_DRIVER, row.pool, row.device) for row in rows),
    )


def _entries(claim: file.Claim) -> Iterator[tuple[file.Group, file.Entry]]:
    for group in claim.devices or ():
        for entry in group.devices or ():
            yield group, entry
