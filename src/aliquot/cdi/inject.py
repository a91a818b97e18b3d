"""The edits of an OCI runtime spec that devices ask for: a pure function, all or nothing.

Order and meaning are the Go library's (facts: its container-edits.go, at and after 1.1.0), with two differences: the
input isn't touched, also when something fails, and neither are the specs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aliquot.cdi.host import AskedOnce, HostNodes
from aliquot.cdi.nodes import completed
from aliquot.cdi.oci import OciSpec
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.registry import Definition, Registry
from aliquot.cdi.spec import ContainerEdits, DeviceNode, Hook, IntelRdt, Mount, merged


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
    warnings = _env_clashes(chosen)
    try:
        applied = apply_edits(oci, edits_of(chosen), nodes, bind_in_user_namespace=bind_in_user_namespace)
    except SpecError as error:
        raise SpecError(_placed(problem, chosen) for problem in error.problems) from None
    return Injection(applied.oci, (*warnings, *applied.warnings))


def edits_of(definitions: Iterable[Definition]) -> ContainerEdits:
    """All edits of the devices together: each file's global ones once, before its first device."""
    blocks: list[ContainerEdits] = []
    used: set[str] = set()
    for definition in definitions:
        if definition.file.path not in used:
            used.add(definition.file.path)
            blocks.append(definition.spec.edits)
        blocks.append(definition.device.edits)
    return merged(blocks)


def apply_edits(
    oci: Mapping[str, Any], edits: ContainerEdits, nodes: HostNodes, *, bind_in_user_namespace: bool = False
) -> Injection:
    """Apply one block of edits.

    Raises:
        SpecError: the host lacks nodes (all of them; `path` is theirs), or `oci` isn't an OCI spec.
    """
    spec = OciSpec(oci)
    warnings: list[Problem] = []
    devices: list[dict[str, Any]] = []
    rules: list[dict[str, Any]] = []
    missing: list[Problem] = []
    if edits.env:
        spec.set_env(edits.env)
    mounts = list(edits.mounts)
    host = AskedOnce(nodes)
    in_user_namespace = spec.has_user_namespace()
    user = spec.user()
    for node in edits.device_nodes:
        if node.host_path not in {"", node.path} and in_user_namespace:
            if bind_in_user_namespace:
                mounts.append(Mount(host_path=node.host_path, container_path=node.path, options=("bind",)))
                continue
            warnings.append(_cannot_make(node))
        try:
            complete = completed(node, host)
        except SpecError as error:
            missing += error.problems
            continue
        devices.append(_device(complete, user))
        if complete.type in {"b", "c"}:
            rules.append(_rule(complete))
    if missing:
        raise SpecError(missing)
    if devices:
        spec.put_devices(devices)
    if rules:
        spec.add_device_rules(rules)
    for device in edits.net_devices:
        spec.set_net_device(device.host_interface_name, device.name)
    for mount in mounts:
        if not mount.type and not {"bind", "rbind"} & set(mount.options):
            message = f"the mount on {mount.container_path!r} has neither a type nor the option bind or rbind"
            warnings.append(Problem("edits", message, hint="runtimes will refuse it when the container starts"))
    if mounts:
        spec.add_mounts(_mount(mount, in_user_namespace=in_user_namespace) for mount in mounts)
    for hook in edits.hooks:
        spec.add_hook(hook.hook_name, _hook(hook))
    if edits.intel_rdt is not None:
        spec.set_intel_rdt(_intel_rdt(edits.intel_rdt))
    for gid in edits.additional_gids:
        if gid != 0:
            spec.add_gid(gid)
    return Injection(spec.root, tuple(warnings))


def _device(node: DeviceNode, user: Mapping[str, int]) -> dict[str, Any]:
    device: dict[str, Any] = {"path": node.path, "type": node.type, "major": node.major, "minor": node.minor}
    if node.file_mode is not None:
        device["fileMode"] = node.file_mode
    for member, own in (("uid", node.uid), ("gid", node.gid)):
        if own is not None:  # an explicit 0 stays
            device[member] = own
        elif user.get(member, 0) > 0:
            device[member] = user[member]
    return device


def _rule(node: DeviceNode) -> dict[str, Any]:
    rule: dict[str, Any] = {"allow": True, "type": node.type, "major": node.major, "minor": node.minor}
    if node.permissions != "none":
        rule["access"] = node.permissions or "rwm"
    return rule


def _mount(mount: Mount, *, in_user_namespace: bool) -> dict[str, Any]:
    options = list(mount.options)
    if in_user_namespace and not {"idmap", "ridmap"} & set(options):
        binds = [option for option in options if option in {"bind", "rbind"}] or [mount.type]
        if binds[-1] in {"bind", "rbind"}:  # as type, only "bind" is known
            options.append("ridmap" if binds[-1] == "rbind" else "idmap")
    entry: dict[str, Any] = {"destination": mount.container_path, "source": mount.host_path}
    if mount.type:
        entry["type"] = mount.type
    if options:
        entry["options"] = options
    return entry


def _hook(hook: Hook) -> dict[str, Any]:
    entry: dict[str, Any] = {"path": hook.path}
    if hook.args:
        entry["args"] = list(hook.args)
    if hook.env:
        entry["env"] = list(hook.env)
    if hook.timeout is not None:
        entry["timeout"] = hook.timeout
    return entry


def _intel_rdt(rdt: IntelRdt) -> dict[str, Any]:
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
