"""Writing specs: canonical JSON and YAML, and plain data.

Canonical: the specification's order of fields, absent and empty members left out, no line folding. The same value gives
the same bytes.
"""

import json
from collections.abc import Mapping
from typing import Any

from aliquot.cdi.documents.yaml_text import printable, to_text
from aliquot.cdi.spec import ContainerEdits, Device, DeviceNode, Hook, IntelRdt, Mount, NetDevice, Spec


def to_json(spec: Spec) -> str:
    """The spec as JSON, indented by two, with a final newline."""
    return printable(json.dumps(to_data(spec), indent=2, ensure_ascii=False)) + "\n"


def to_yaml(spec: Spec) -> str:
    """The spec as one YAML document that starts with `---`."""
    return "---\n" + to_text(to_data(spec))


def to_data(spec: Spec) -> dict[str, Any]:
    """The spec as dictionaries and lists, as in JSON."""
    return _present(
        {
            "cdiVersion": spec.version,
            "kind": spec.kind,
            "annotations": _sorted(spec.annotations),
            "devices": [device_data(device) for device in spec.devices],
            "containerEdits": edits_data(spec.edits),
        }
    )


def device_data(device: Device) -> dict[str, Any]:
    """A device as plain data; `name` and `containerEdits` are always there."""
    return {
        "name": device.name,
        **_present({"annotations": _sorted(device.annotations)}),
        "containerEdits": edits_data(device.edits),
    }


def edits_data(edits: ContainerEdits) -> dict[str, Any]:
    """A block of edits as plain data."""
    data = _present(
        {
            "env": list(edits.env),
            "deviceNodes": [node_data(node) for node in edits.device_nodes],
            "netDevices": [_net_device(net) for net in edits.net_devices],
            "hooks": [hook_data(hook) for hook in edits.hooks],
            "mounts": [mount_data(mount) for mount in edits.mounts],
        }
    )
    if edits.intel_rdt is not None:
        data["intelRdt"] = _intel_rdt(edits.intel_rdt)
    if edits.additional_gids:
        data["additionalGids"] = list(edits.additional_gids)
    return data


def node_data(node: DeviceNode) -> dict[str, Any]:
    """A device node as plain data."""
    return {"path": node.path} | _present(
        {
            "hostPath": node.host_path,
            "type": node.type,
            "major": node.major,
            "minor": node.minor,
            "fileMode": node.file_mode,
            "permissions": node.permissions,
            "uid": node.uid,
            "gid": node.gid,
        },
        zeros=("fileMode", "uid", "gid"),
    )


def _net_device(net: NetDevice) -> dict[str, Any]:
    return {"hostInterfaceName": net.host_interface_name, "name": net.name}


def mount_data(mount: Mount) -> dict[str, Any]:
    """A mount as plain data."""
    return {
        "hostPath": mount.host_path,
        "containerPath": mount.container_path,
        **_present({"options": list(mount.options), "type": mount.type}),
    }


def hook_data(hook: Hook) -> dict[str, Any]:
    """A hook as plain data."""
    return {
        "hookName": hook.hook_name,
        "path": hook.path,
        **_present(
            {"args": list(hook.args), "env": list(hook.env), "timeout": hook.timeout},
            zeros=("timeout",),
        ),
    }


def _intel_rdt(rdt: IntelRdt) -> dict[str, Any]:
    data = _present(
        {
            "closID": rdt.clos_id,
            "l3CacheSchema": rdt.l3_cache_schema,
            "memBwSchema": rdt.mem_bw_schema,
            "enableMonitoring": rdt.enable_monitoring,
        }
    )
    if rdt.schemata is not None:
        data["schemata"] = list(rdt.schemata)
    if rdt.enable_cmt is not None:
        data["enableCMT"] = rdt.enable_cmt
    if rdt.enable_mbm is not None:
        data["enableMBM"] = rdt.enable_mbm
    return data


def _present(data: dict[str, Any], zeros: tuple[str, ...] = ()) -> dict[str, Any]:
    """Drop absent members; keep 0 where `zeros` says that it differs from absent."""
    return {key: value for key, value in data.items() if value or (key in zeros and value is not None)}


def _sorted(annotations: Mapping[str, str]) -> dict[str, str]:
    return {key: annotations[key] for key in sorted(annotations)}
