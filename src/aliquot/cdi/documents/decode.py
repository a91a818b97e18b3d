"""From plain data to a spec: which fields there are, of which types. What they may say is `check`'s question.

Source: the CDI specification 1.1.0 and its schema.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from aliquot.cdi.documents.decoder import (
    Decoder,
    ObjectFields,
    flag,
    int64,
    items_of,
    numbers,
    text,
    text_map,
    texts,
    uint32,
)
from aliquot.cdi.documents.load import Where
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, NetDevice, Spec

T = TypeVar("T")


def decode_spec(data: Any, decoder: Decoder) -> Spec:
    """The spec that the data shows. Where something doesn't fit, a problem is noted and the field keeps its default."""
    required: dict[str, Any] = {"version": "", "kind": ""}
    return Spec(**(required | decoder.members(data, None, _SPEC)))


def decode_device(data: Any, decoder: Decoder, where: Where = None) -> Device:
    """One device; null is a device without a name, as in Go."""
    required: dict[str, Any] = {"name": ""}
    return Device(**(required | ({} if data is None else decoder.members(data, where, _DEVICE))))


def decode_edits(data: Any, decoder: Decoder, where: Where = None) -> ContainerEdits:
    """One block of edits."""
    return ContainerEdits(**decoder.members(data, where, _EDITS))


def _objects(
    fields: ObjectFields, make: Callable[..., T], **defaults: str
) -> Callable[[Decoder, Any, Where], tuple[T, ...]]:
    """A reader of a list of objects; `defaults` are the fields that the specification requires, "" where absent."""

    def read(decoder: Decoder, value: Any, where: Where) -> tuple[T, ...]:
        found: list[T] = []
        for i, item in enumerate(items_of(decoder, value, where)):
            place = (where, i)
            if item is None:  # the Go library crashes here
                decoder.wrong(place, "the entry is null", "remove it")
            else:
                found.append(make(**(defaults | decoder.members(item, place, fields))))
        return tuple(found)

    return read


def _rdt(decoder: Decoder, value: Any, where: Where) -> IntelRdt:
    return IntelRdt(**decoder.members(value, where, _RDT))


def _edits(decoder: Decoder, value: Any, where: Where) -> ContainerEdits:
    return decode_edits(value, decoder, where)


def _devices(decoder: Decoder, value: Any, where: Where) -> tuple[Device, ...]:
    return tuple(decode_device(item, decoder, (where, i)) for i, item in enumerate(items_of(decoder, value, where)))


_NODE = ObjectFields(
    {
        "path": ("path", text),
        "hostPath": ("host_path", text),
        "type": ("type", text),
        "major": ("major", int64),
        "minor": ("minor", int64),
        "fileMode": ("file_mode", uint32),
        "permissions": ("permissions", text),
        "uid": ("uid", uint32),
        "gid": ("gid", uint32),
    }
)
_NET = ObjectFields({"hostInterfaceName": ("host_interface_name", text), "name": ("name", text)})
_MOUNT = ObjectFields(
    {
        "hostPath": ("host_path", text),
        "containerPath": ("container_path", text),
        "options": ("options", texts),
        "type": ("type", text),
    }
)
_HOOK = ObjectFields(
    {
        "hookName": ("hook_name", text),
        "path": ("path", text),
        "args": ("args", texts),
        "env": ("env", texts),
        "timeout": ("timeout", int64),
    }
)
_RDT = ObjectFields(
    {
        "closID": ("clos_id", text),
        "l3CacheSchema": ("l3_cache_schema", text),
        "memBwSchema": ("mem_bw_schema", text),
        "schemata": ("schemata", texts),
        "enableMonitoring": ("enable_monitoring", flag),
    },
    older={"enableCMT": ("enable_cmt", flag), "enableMBM": ("enable_mbm", flag)},
)
_EDITS = ObjectFields(
    {
        "env": ("env", texts),
        "deviceNodes": ("device_nodes", _objects(_NODE, DeviceNode, path="")),
        "netDevices": ("net_devices", _objects(_NET, NetDevice, host_interface_name="", name="")),
        "hooks": ("hooks", _objects(_HOOK, Hook, hook_name="", path="")),
        "mounts": ("mounts", _objects(_MOUNT, Mount, host_path="", container_path="")),
        "intelRdt": ("intel_rdt", _rdt),
        "additionalGids": ("additional_gids", numbers),
    }
)
_DEVICE = ObjectFields(
    {
        "name": ("name", text),
        "annotations": ("annotations", text_map),
        "containerEdits": ("edits", _edits),
    }
)
_SPEC = ObjectFields(
    {
        "cdiVersion": ("version", text),
        "kind": ("kind", text),
        "annotations": ("annotations", text_map),
        "devices": ("devices", _devices),
        "containerEdits": ("edits", _edits),
    }
)
