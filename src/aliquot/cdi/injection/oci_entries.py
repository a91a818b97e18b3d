"""The entries of an OCI runtime spec that single edits become, as far as neither container nor host has a say.

Source: the CDI specification's mapping to the OCI runtime spec (config-linux.md, config.md), as the Go library 1.1.0
carries it out.
"""

import posixpath
from functools import lru_cache
from typing import Any

from aliquot.cdi.spec import DeviceNode, Hook, IntelRdt, Mount

_BINDS = frozenset({"bind", "rbind"})
_MAPPED = frozenset({"idmap", "ridmap"})


def device_entry(node: DeviceNode) -> dict[str, Any]:
    """The entry in `linux.devices`."""
    entry: dict[str, Any] = {"path": node.path, "type": node.type, "major": node.major, "minor": node.minor}
    given = {"fileMode": node.file_mode, "uid": node.uid, "gid": node.gid}
    entry.update((member, value) for member, value in given.items() if value is not None)
    return entry


def device_rule(node: DeviceNode) -> dict[str, Any] | None:
    """The cgroup rule in `linux.resources.devices`; only block and character devices get one."""
    if node.type not in {"b", "c"}:
        return None
    rule: dict[str, Any] = {"allow": True, "type": node.type, "major": node.major, "minor": node.minor}
    if node.permissions != "none":
        rule["access"] = node.permissions or "rwm"
    return rule


def mount_entry(mount: Mount, *, in_user_namespace: bool = False) -> dict[str, Any]:
    """The entry in `mounts`; in a user namespace bind mounts need their ids mapped."""
    entry: dict[str, Any] = {"destination": mount.container_path, "source": mount.host_path}
    if mount.type:
        entry["type"] = mount.type
    options = [*mount.options, *(_id_mapping(mount) if in_user_namespace else ())]
    if options:
        entry["options"] = options
    return entry


def _id_mapping(mount: Mount) -> tuple[str, ...]:
    """The option that maps a bind mount's ids, if it lacks one."""
    binds = [option for option in mount.options if option in _BINDS]
    if not binds and mount.type == "bind":  # as type, "rbind" is unknown
        binds = ["bind"]
    if not binds or not _MAPPED.isdisjoint(mount.options):
        return ()
    return ("ridmap",) if binds[-1] == "rbind" else ("idmap",)


@lru_cache(maxsize=4096)  # containers have the same mounts again and again
def mount_depth(destination: str) -> int:
    """How deep a mount lies, by which mounts are ordered: the slashes in its cleaned destination."""
    cleaned = posixpath.normpath(destination)  # which alone keeps a double slash at the start
    return cleaned.count("/") - cleaned.startswith("//")


def can_mount(mount: Mount) -> bool:
    """Tell whether a runtime can carry the mount out: it has a type, or is a bind mount."""
    return bool(mount.type) or not _BINDS.isdisjoint(mount.options)


def hook_entry(hook: Hook) -> dict[str, Any]:
    """The hook's entry in the list of its stage."""
    entry: dict[str, Any] = {"path": hook.path}
    if hook.args:
        entry["args"] = list(hook.args)
    if hook.env:
        entry["env"] = list(hook.env)
    if hook.timeout is not None:
        entry["timeout"] = hook.timeout
    return entry


def intel_rdt_entry(rdt: IntelRdt) -> dict[str, Any]:
    """The object `linux.intelRdt`."""
    members = {
        "closID": rdt.clos_id,
        "schemata": list(rdt.schemata or ()),
        "l3CacheSchema": rdt.l3_cache_schema,
        "memBwSchema": rdt.mem_bw_schema,
        "enableMonitoring": rdt.enable_monitoring,
        "enableCMT": rdt.enable_cmt,
        "enableMBM": rdt.enable_mbm,
    }
    return {member: value for member, value in members.items() if value}
