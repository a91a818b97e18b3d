"""Putting a generated spec in order: no repeats, nothing twice in a device and in the common edits, a fixed order.

Order (as nvidia-ctk writes): devices by name; device nodes and mounts by the depth of their path, then by the path;
group ids by number; environment and hooks stay as they come.
"""

import posixpath
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import TypeVar

from aliquot.cdi.spec import NO_EDITS, ContainerEdits, Device, Spec

Entry = TypeVar("Entry", bound=Hashable)


def simplified(spec: Spec) -> Spec:
    """The same spec in its shortest form and in a fixed order."""
    common = _ordered(spec.edits)
    devices = [replace(device, edits=_without(_ordered(device.edits), common)) for device in spec.devices]
    return replace(spec, edits=common, devices=tuple(sorted(devices, key=lambda device: device.name)))


def with_merged(spec: Spec, name: str = "all") -> Spec:
    """The spec with one more device that is all the others together; unchanged where the name is taken."""
    if spec.device(name) is not None or not spec.devices:
        return spec
    merged = sum((device.edits for device in spec.devices), NO_EDITS)
    return simplified(replace(spec, devices=(*spec.devices, Device(name=name, edits=merged))))


def _ordered(edits: ContainerEdits) -> ContainerEdits:
    return replace(
        edits,
        env=_unique(edits.env),
        device_nodes=tuple(sorted(_unique(edits.device_nodes), key=lambda node: _place(node.path))),
        net_devices=_unique(edits.net_devices),
        hooks=_unique(edits.hooks),
        mounts=tuple(sorted(_unique(edits.mounts), key=lambda mount: _place(mount.container_path))),
        additional_gids=tuple(sorted(set(edits.additional_gids))),
    )


def _without(edits: ContainerEdits, common: ContainerEdits) -> ContainerEdits:
    """The edits that aren't common; all of them where none would be left, since a device must have some."""
    own = replace(
        edits,
        env=_minus(edits.env, common.env),
        device_nodes=_minus(edits.device_nodes, common.device_nodes),
        net_devices=_minus(edits.net_devices, common.net_devices),
        hooks=_minus(edits.hooks, common.hooks),
        mounts=_minus(edits.mounts, common.mounts),
        additional_gids=_minus(edits.additional_gids, common.additional_gids),
    )
    return own or edits


def _unique(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(dict.fromkeys(entries))


def _minus(entries: tuple[Entry, ...], others: tuple[Entry, ...]) -> tuple[Entry, ...]:
    taken = frozenset(others)
    return tuple(entry for entry in entries if entry not in taken)


def _place(path: str) -> tuple[int, str]:
    return posixpath.normpath(path).count("/"), path
