"""The checkpoint's payload: the shape of its JSON, and the value that it holds.

Version 1 has neither tombstones nor what a device is shared by. Version 2 adds both, and a reader of version 1 may
read it: it passes over what it doesn't know.
"""

from typing import Any

import msgspec

from aliquot.dra.device import DeviceId
from aliquot.node.claims.checkpoint import Checkpoint
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.entry import Entry, HeldDevice, State
from aliquot.node.claims.sharing_data import sharing_data, sharing_of
from aliquot.node.claims.step_data import Place, StepData, place_data, place_of, step_data, step_of


class ClaimData(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A claim."""

    namespace: str
    name: str
    uid: str


class DeviceData(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A device that a claim holds."""

    driver: str
    pool: str
    device: str
    requests: tuple[str, ...] = ()
    cdi_ids: tuple[str, ...] = msgspec.field(default=(), name="cdiIDs")
    share_id: str | None = msgspec.field(default=None, name="shareID")
    admin: bool = False
    gpu: str | None = None
    place: Place | None = None
    instance: str | None = None
    address: str | None = None
    sharing: Any = None
    consumed: dict[str, str] = {}


class EntryData(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A claim's entry, under its UID."""

    namespace: str
    name: str
    boot: str
    state: State
    devices: tuple[DeviceData, ...] = ()
    steps: tuple[StepData, ...] = ()


class Payload(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """The whole of it."""

    claims: dict[str, EntryData] = {}
    tombstones: tuple[ClaimData, ...] = ()


def payload_data(checkpoint: Checkpoint) -> Payload:
    """The payload of a checkpoint."""
    return Payload(
        {uid: _entry_data(entry) for uid, entry in checkpoint.entries.items()},
        tuple(ClaimData(each.namespace, each.name, each.uid) for each in checkpoint.tombstones),
    )


def checkpoint_of(payload: Payload) -> Checkpoint:
    """The checkpoint of a payload.

    Raises:
        ValueError: what a device is shared by can't be read.
    """
    return Checkpoint(
        {uid: _entry(uid, data) for uid, data in payload.claims.items()},
        tuple(ClaimRef(each.namespace, each.name, each.uid) for each in payload.tombstones),
    )


def _entry_data(entry: Entry) -> EntryData:
    return EntryData(
        namespace=entry.claim.namespace,
        name=entry.claim.name,
        boot=entry.boot,
        state=entry.state,
        devices=tuple(_device_data(device) for device in entry.devices),
        steps=tuple(step_data(step) for step in entry.steps),
    )


def _entry(uid: str, data: EntryData) -> Entry:
    return Entry(
        claim=ClaimRef(data.namespace, data.name, uid),
        boot=data.boot,
        state=data.state,
        devices=tuple(_device(device) for device in data.devices),
        steps=tuple(step_of(step) for step in data.steps),
    )


def _device_data(held: HeldDevice) -> DeviceData:
    return DeviceData(
        driver=held.device.driver,
        pool=held.device.pool,
        device=held.device.device,
        requests=held.requests,
        cdi_ids=held.cdi_ids,
        share_id=held.share_id,
        admin=held.admin,
        gpu=held.gpu,
        place=place_data(held.place) if held.place is not None else None,
        instance=held.instance,
        address=held.address,
        sharing=sharing_data(held.sharing),
        consumed=dict(held.consumed),
    )


def _device(data: DeviceData) -> HeldDevice:
    return HeldDevice(
        device=DeviceId(data.driver, data.pool, data.device),
        requests=data.requests,
        cdi_ids=data.cdi_ids,
        share_id=data.share_id,
        admin=data.admin,
        gpu=data.gpu,
        place=place_of(data.place) if data.place is not None else None,
        instance=data.instance,
        address=data.address,
        sharing=sharing_of(data.sharing, on_mig=data.place is not None),
        consumed=data.consumed,
    )
