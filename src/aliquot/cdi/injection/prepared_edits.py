"""A block of edits made ready for many injections: its entries in an OCI runtime spec, of which each gets copies.

An injection never hands out what is kept here: a caller who changes an injected spec doesn't change the next one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from aliquot.cdi.injection.node_completion import is_complete, is_elsewhere
from aliquot.cdi.injection.oci_entries import (
    can_mount,
    device_entry,
    device_rule,
    hook_entry,
    mount_depth,
    mount_entry,
)
from aliquot.cdi.plain_data import is_list
from aliquot.cdi.problems import Problem
from aliquot.cdi.spec import ContainerEdits, DeviceNode, Hook, IntelRdt, Mount


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedNodes:
    """Device nodes; and in columns their paths, entries, and the cgroup rules of those that get one.

    Where some are `incomplete`, the host must be asked first: entries and rules are only what the spec says. Where some
    are `elsewhere`, the host has them at another path.
    """

    nodes: tuple[DeviceNode, ...] = ()
    incomplete: bool = False
    elsewhere: bool = False
    paths: tuple[str, ...] = ()
    entries: tuple[dict[str, Any], ...] = ()
    rules: tuple[dict[str, Any], ...] = ()

    def __add__(self, other: "PreparedNodes") -> "PreparedNodes":
        """Both, this one's first."""
        return PreparedNodes(
            nodes=self.nodes + other.nodes,
            incomplete=self.incomplete or other.incomplete,
            elsewhere=self.elsewhere or other.elsewhere,
            paths=self.paths + other.paths,
            entries=self.entries + other.entries,
            rules=self.rules + other.rules,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedMounts:
    """Mounts in columns: destinations, their depths, entries with options, and these for a user namespace.

    `distinct` are the destinations without their repeats.
    """

    destinations: tuple[str, ...] = ()
    distinct: frozenset[str] = frozenset()
    depths: tuple[int, ...] = ()
    entries: tuple[tuple[dict[str, Any], list[str]], ...] = ()
    mapped_entries: tuple[tuple[dict[str, Any], list[str]], ...] = ()

    def __add__(self, other: "PreparedMounts") -> "PreparedMounts":
        """Both, this one's first."""
        return PreparedMounts(
            destinations=self.destinations + other.destinations,
            distinct=self.distinct | other.distinct,
            depths=self.depths + other.depths,
            entries=self.entries + other.entries,
            mapped_entries=self.mapped_entries + other.mapped_entries,
        )

    def copies(self, *, in_user_namespace: bool) -> list[dict[str, Any]]:
        """The entries for one container."""
        copies: list[dict[str, Any]] = []
        for entry, options in self.mapped_entries if in_user_namespace else self.entries:
            copy = entry.copy()
            if options:
                copy["options"] = options.copy()
            copies.append(copy)
        return copies


class PreparedHook(NamedTuple):
    """A hook: its entry, and those of the entry's members that are lists."""

    entry: dict[str, Any]
    lists: tuple[tuple[str, list[str]], ...]


def hook_copies(hooks: Iterable[PreparedHook]) -> list[dict[str, Any]]:
    """The hooks' entries for one container."""
    copies: list[dict[str, Any]] = []
    for entry, lists in hooks:
        copy = entry.copy()
        for member, items in lists:
            copy[member] = items.copy()
        copies.append(copy)
    return copies


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedEdits:
    """One block of edits, each kind in the block's order.

    `env` holds each variable's name and its whole entry, `hooks` the hooks of each stage.
    """

    env: tuple[tuple[str, str], ...]
    nodes: PreparedNodes
    net_devices: tuple[tuple[str, str], ...]
    hooks: Mapping[str, tuple[PreparedHook, ...]]
    mounts: PreparedMounts
    mount_warnings: tuple[Problem, ...]
    intel_rdt: IntelRdt | None
    gids: tuple[int, ...]

    def __add__(self, other: "PreparedEdits") -> "PreparedEdits":
        """Both, this one first; as the edits themselves are merged."""
        stages = dict.fromkeys((*self.hooks, *other.hooks))
        return PreparedEdits(
            env=self.env + other.env,
            nodes=self.nodes + other.nodes,
            net_devices=self.net_devices + other.net_devices,
            hooks={stage: self.hooks.get(stage, ()) + other.hooks.get(stage, ()) for stage in stages},
            mounts=self.mounts + other.mounts,
            mount_warnings=self.mount_warnings + other.mount_warnings,
            intel_rdt=self.intel_rdt if other.intel_rdt is None else other.intel_rdt,
            gids=self.gids + other.gids,
        )


def prepare(edits: ContainerEdits) -> PreparedEdits:
    """The block, made ready."""
    stages = dict.fromkeys(hook.hook_name for hook in edits.hooks)
    return PreparedEdits(
        env=tuple((entry.partition("=")[0], entry) for entry in edits.env),
        nodes=prepare_nodes(edits.device_nodes),
        net_devices=tuple((net.host_interface_name, net.name) for net in edits.net_devices),
        hooks={stage: tuple(_hook(hook) for hook in edits.hooks if hook.hook_name == stage) for stage in stages},
        mounts=prepare_mounts(edits.mounts),
        mount_warnings=tuple(_cannot_mount(mount) for mount in edits.mounts if not can_mount(mount)),
        intel_rdt=edits.intel_rdt,
        gids=tuple(gid for gid in edits.additional_gids if gid != 0),
    )


def prepare_nodes(nodes: Sequence[DeviceNode]) -> PreparedNodes:
    """Device nodes, from what they say themselves."""
    rules = map(device_rule, nodes)
    return PreparedNodes(
        nodes=tuple(nodes),
        incomplete=not all(map(is_complete, nodes)),
        elsewhere=any(map(is_elsewhere, nodes)),
        paths=tuple(node.path for node in nodes),
        entries=tuple(map(device_entry, nodes)),
        rules=tuple(rule for rule in rules if rule is not None),
    )


def prepare_mounts(mounts: Sequence[Mount]) -> PreparedMounts:
    """Mounts, for containers with and without a user namespace."""
    destinations = tuple(mount.container_path for mount in mounts)
    return PreparedMounts(
        destinations=destinations,
        distinct=frozenset(destinations),
        depths=tuple(map(mount_depth, destinations)),
        entries=tuple(_with_options(mount_entry(mount)) for mount in mounts),
        mapped_entries=tuple(_with_options(mount_entry(mount, in_user_namespace=True)) for mount in mounts),
    )


def _with_options(entry: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    return entry, entry.get("options", [])


def _hook(hook: Hook) -> PreparedHook:
    entry = hook_entry(hook)
    return PreparedHook(entry, tuple((member, value) for member, value in entry.items() if is_list(value)))


def _cannot_mount(mount: Mount) -> Problem:
    message = f"the mount on {mount.container_path!r} has neither a type nor the option bind or rbind"
    return Problem("edits", message, hint="runtimes will refuse it when the container starts")
