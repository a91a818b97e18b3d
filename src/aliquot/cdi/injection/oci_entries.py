"""Edits as the pieces of an OCI runtime spec that they become, as far as neither container nor host has a say.

A registry makes them once for each block of edits; an injection then only copies them. What an injection gets is always
its own copy: a caller who changes an injected spec doesn't change the next one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from aliquot.cdi.injection.node_completion import is_complete
from aliquot.cdi.problems import Problem
from aliquot.cdi.spec import ContainerEdits, DeviceNode, Hook, IntelRdt, Mount

_BINDS = frozenset({"bind", "rbind"})
_MAPPED = frozenset({"idmap", "ridmap"})


@dataclass(frozen=True, slots=True)
class NodeFragment:
    """A device node, and its cgroup rule if it gets one.

    `complete` is false where the host must be asked first: then `device` and `rule` are only what the spec says.
    """

    node: DeviceNode
    complete: bool
    elsewhere: bool
    device: dict[str, Any]
    rule: dict[str, Any] | None

    def entry(self, owner: Mapping[str, int]) -> dict[str, Any]:
        """The entry in `linux.devices`; it belongs to the owner unless the spec says to whom."""
        entry = self.device.copy()
        for member in owner:
            entry.setdefault(member, owner[member])  # an explicit 0 stays
        return entry


class MountFragment(NamedTuple):
    """A mount: its members but for the options, and those, also as a container in a user namespace needs them."""

    plain: dict[str, Any]
    options: list[str]
    mapped_options: list[str]


@dataclass(frozen=True, slots=True)
class Fragments:
    """The pieces of one block of edits, each kind in the block's order."""

    edits: ContainerEdits
    env: tuple[tuple[str, str], ...]
    """Each variable's name and its whole entry."""
    nodes: tuple[NodeFragment, ...]
    mounts: tuple[MountFragment, ...]
    mount_warnings: tuple[Problem, ...]


def fragments_of(edits: ContainerEdits) -> Fragments:
    """The pieces of a block of edits."""
    return Fragments(
        edits=edits,
        env=tuple((entry.partition("=")[0], entry) for entry in edits.env),
        nodes=tuple(node_fragment(node) for node in edits.device_nodes),
        mounts=tuple(mount_fragment(mount) for mount in edits.mounts),
        mount_warnings=tuple(_cannot_mount(mount) for mount in edits.mounts if not _can_mount(mount)),
    )


def node_fragment(node: DeviceNode) -> NodeFragment:
    """A device node's pieces, from what it says itself."""
    device: dict[str, Any] = {"path": node.path, "type": node.type, "major": node.major, "minor": node.minor}
    given = {"fileMode": node.file_mode, "uid": node.uid, "gid": node.gid}
    device.update((member, value) for member, value in given.items() if value is not None)
    rule: dict[str, Any] | None = None
    if node.type in {"b", "c"}:
        rule = {"allow": True, "type": node.type, "major": node.major, "minor": node.minor}
        if node.permissions != "none":
            rule["access"] = node.permissions or "rwm"
    return NodeFragment(node, is_complete(node), node.host_path not in {"", node.path}, device, rule)


def mount_fragment(mount: Mount) -> MountFragment:
    """A mount's pieces."""
    plain = {"destination": mount.container_path, "source": mount.host_path}
    if mount.type:
        plain["type"] = mount.type
    options = list(mount.options)
    mapped = list(mount.options)
    if _MAPPED.isdisjoint(options):
        binds = [option for option in options if option in _BINDS]
        if not binds and mount.type == "bind":  # as type, "rbind" is unknown
            binds = ["bind"]
        if binds:
            mapped.append("ridmap" if binds[-1] == "rbind" else "idmap")
    return MountFragment(plain, options, mapped)


def mount_entries(mounts: Iterable[MountFragment], *, in_user_namespace: bool) -> list[dict[str, Any]]:
    """The mounts' entries in `mounts`."""
    entries: list[dict[str, Any]] = []
    for plain, options, mapped_options in mounts:
        entry = plain.copy()
        chosen = mapped_options if in_user_namespace else options
        if chosen:
            entry["options"] = chosen.copy()
        entries.append(entry)
    return entries


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


def _can_mount(mount: Mount) -> bool:
    return bool(mount.type) or not _BINDS.isdisjoint(mount.options)


def _cannot_mount(mount: Mount) -> Problem:
    message = f"the mount on {mount.container_path!r} has neither a type nor the option bind or rbind"
    return Problem("edits", message, hint="runtimes will refuse it when the container starts")
