"""The edits of an OCI runtime spec that devices ask for: a pure function, all or nothing.

Order and meaning are the Go library's (facts: its container-edits.go, at and after 1.1.0), with two differences: the
input isn't touched, also when something fails, and neither are the specs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aliquot.cdi.host_nodes import AskedOnce, HostNodes
from aliquot.cdi.injection.node_completion import completed
from aliquot.cdi.injection.oci_entries import (
    Fragments,
    MountFragment,
    fragments_of,
    hook_entry,
    intel_rdt_entry,
    mount_entries,
    mount_fragment,
    node_fragment,
)
from aliquot.cdi.injection.oci_spec import OciSpec
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.registry import Definition, Registry
from aliquot.cdi.spec import ContainerEdits, DeviceNode, Mount


@dataclass(frozen=True, slots=True)
class Injection:
    """The new OCI spec, and what's likely to go wrong with it later.

    Members that weren't edited are the same objects as in the input.
    """

    oci: dict[str, Any]
    warnings: tuple[Problem, ...] = ()


def inject(
    oci: Mapping[str, Any],
    devices: Sequence[str],
    registry: Registry,
    nodes: HostNodes,
    *,
    bind_in_user_namespace: bool = False,
) -> Injection:
    """Give the devices, by qualified name, to a container.

    The edits are those of each device in the order asked for, each file's global edits before its first device. A name
    that comes twice is applied twice, as in Go. `bind_in_user_namespace` turns device nodes whose host path differs
    into bind mounts where the container has a user namespace: runtimes can't make nodes there.

    Raises:
        SpecError: names can't be resolved (all of them, in order), the host lacks nodes (each with the file that asks
            for it), or `oci` isn't an OCI spec.
    """
    missing = [registry.why_not(name) for name in devices if name not in registry.devices]
    if missing:
        raise SpecError(missing)
    chosen = [registry.devices[name] for name in devices]
    blocks = [registry.fragments(edits) for edits in _blocks_of(chosen)]
    warnings = _env_clashes(chosen)
    try:
        edited, others = _apply(oci, blocks, nodes, bind_in_user_namespace=bind_in_user_namespace)
    except SpecError as error:
        raise SpecError(_placed(problem, chosen) for problem in error.problems) from None
    return Injection(edited, (*warnings, *others))


def apply_edits(
    oci: Mapping[str, Any], edits: ContainerEdits, nodes: HostNodes, *, bind_in_user_namespace: bool = False
) -> Injection:
    """Apply one block of edits.

    Raises:
        SpecError: the host lacks nodes (all of them; `path` is theirs), or `oci` isn't an OCI spec.
    """
    edited, warnings = _apply(oci, [fragments_of(edits)], nodes, bind_in_user_namespace=bind_in_user_namespace)
    return Injection(edited, tuple(warnings))


def _blocks_of(definitions: Iterable[Definition]) -> list[ContainerEdits]:
    """The devices' edits in order: each file's global ones once, before its first device."""
    blocks: list[ContainerEdits] = []
    used: set[str] = set()
    for definition in definitions:
        if definition.file.path not in used:
            used.add(definition.file.path)
            blocks.append(definition.spec.edits)
        blocks.append(definition.device.edits)
    return blocks


def _apply(
    oci: Mapping[str, Any], blocks: Sequence[Fragments], nodes: HostNodes, *, bind_in_user_namespace: bool
) -> tuple[dict[str, Any], list[Problem]]:
    """Apply blocks of edits, kind by kind: of each kind those of the first block first."""
    spec = OciSpec(oci)
    env = [variable for block in blocks for variable in block.env]
    if env:
        spec.set_env(env)
    in_user_namespace = spec.has_user_namespace()
    host = AskedOnce(nodes)
    owner = spec.owner()
    devices: list[dict[str, Any]] = []
    rules: list[dict[str, Any]] = []
    bound: list[MountFragment] = []
    missing: list[Problem] = []
    warnings: list[Problem] = []
    for block in blocks:
        for fragment in block.nodes:
            found = fragment
            if in_user_namespace and fragment.elsewhere:
                if bind_in_user_namespace:
                    bound.append(_bound(fragment.node))
                    continue
                warnings.append(_cannot_make(fragment.node))
            if not fragment.complete:
                try:
                    found = node_fragment(completed(fragment.node, host))
                except SpecError as error:
                    missing += error.problems
                    continue
            devices.append(found.entry(owner))
            if found.rule is not None:
                rules.append(found.rule.copy())
    if missing:
        raise SpecError(missing)
    if devices:
        spec.put_devices(devices)
    if rules:
        spec.add_device_rules(rules)
    for block in blocks:
        for device in block.edits.net_devices:
            spec.set_net_device(device.host_interface_name, device.name)
        warnings += block.mount_warnings
    mounts = [mount for block in blocks for mount in block.mounts] + bound
    if mounts:
        spec.add_mounts(mount_entries(mounts, in_user_namespace=in_user_namespace))
    hooks: dict[str, list[dict[str, Any]]] = {}
    for block in blocks:
        for hook in block.edits.hooks:
            hooks.setdefault(hook.hook_name, []).append(hook_entry(hook))
    for stage, entries in hooks.items():
        spec.add_hooks(stage, entries)
    for block in blocks:
        if block.edits.intel_rdt is not None:  # the last one counts, as a whole
            spec.set_intel_rdt(intel_rdt_entry(block.edits.intel_rdt))
    for block in blocks:
        for gid in block.edits.additional_gids:
            if gid != 0:
                spec.add_gid(gid)
    return spec.root, warnings


def _bound(node: DeviceNode) -> MountFragment:
    return mount_fragment(Mount(host_path=node.host_path, container_path=node.path, options=("bind",)))


def _placed(problem: Problem, chosen: Sequence[Definition]) -> Problem:
    """The problem of a device node with the file and the field that ask for it."""
    for definition in chosen if problem.category == "host" else ():
        index = definition.spec.devices.index(definition.device)
        blocks = (
            (definition.spec.edits, "containerEdits"),
            (definition.device.edits, f"devices[{index}].containerEdits"),
        )
        for edits, at in blocks:
            for i, node in enumerate(edits.device_nodes):
                if problem.path in {node.path, node.host_path}:
                    return replace(problem, file=definition.file.path, path=f"{at}.deviceNodes[{i}]")
    return problem


def _cannot_make(node: DeviceNode) -> Problem:
    message = (
        f"in a user namespace runtimes bind the host's {node.path!r} instead of making the node {node.host_path!r}"
    )
    return Problem("host", message, hint="inject with --userns-bind, which mounts it at its path")


def _env_clashes(chosen: Sequence[Definition]) -> list[Problem]:
    """Variables that two different devices set to different values: the last one wins."""
    owners: dict[str, tuple[str, str]] = {}
    clashes: list[Problem] = []
    for definition in chosen:
        for entry in definition.device.edits.env:
            key, _, value = entry.partition("=")
            owner, earlier = owners.get(key, (definition.name, value))
            if owner != definition.name and earlier != value:
                message = f"{owner} sets {key}={earlier}, {definition.name} then sets {key}={value}"
                clashes.append(Problem("edits", message, hint="only the last value reaches the container"))
            owners[key] = (definition.name, value)
    return clashes
