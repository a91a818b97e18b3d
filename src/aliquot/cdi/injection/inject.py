"""The edits of an OCI runtime spec that devices ask for: pure, all or nothing.

Order and meaning are the Go library's (its container-edits.go, at and after 1.1.0), with two differences: the input
isn't touched, also when something fails, and neither are the specs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aliquot.cdi.host_nodes import HostNodes
from aliquot.cdi.injection.node_completion import completed, is_elsewhere
from aliquot.cdi.injection.oci_entries import intel_rdt_entry
from aliquot.cdi.injection.oci_spec import OciSpec
from aliquot.cdi.injection.prepared_edits import (
    PreparedEdits,
    prepare,
    prepare_mounts,
    prepare_nodes,
)
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.registry import Definition, Registry
from aliquot.cdi.spec import NO_EDITS, ContainerEdits, DeviceNode, Mount

NOTHING = prepare(NO_EDITS)


@dataclass(frozen=True, slots=True)
class Injection:
    """The new OCI spec, and what's likely to go wrong with it later.

    Members that weren't edited are the same objects as in the input.
    """

    oci: dict[str, Any]
    warnings: tuple[Problem, ...] = ()


class Injector:
    """Gives a registry's devices to containers: one for as long as the registry stays the same.

    Each device's edits are made ready once, when they are first asked for.
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._prepared: dict[tuple[str, bool], PreparedEdits] = {}

    def inject(
        self, oci: Mapping[str, Any], devices: Sequence[str], nodes: HostNodes, *, bind_in_user_namespace: bool = False
    ) -> Injection:
        """Give the devices, by qualified name, to a container.

        The edits are those of each device in the order asked for, each file's global edits before its first device. A
        name that comes twice is applied twice, as in Go. `bind_in_user_namespace` turns device nodes whose host path
        differs into bind mounts where the container has a user namespace: runtimes can't make nodes there.

        Raises:
            SpecError: names can't be resolved (all of them, in order), the host lacks nodes (each with the file that
                asks for it), or `oci` isn't an OCI spec.
        """
        known = self.registry.devices
        try:
            chosen = [known[name] for name in devices]
        except KeyError:
            raise SpecError(self.registry.why_not(name) for name in devices if name not in known) from None
        edits = self._edits(devices, chosen)
        warnings = _env_clashes(chosen) if len(chosen) > 1 else []
        try:
            return _apply(oci, edits, nodes, warnings, bind_in_user_namespace=bind_in_user_namespace)
        except SpecError as error:
            raise SpecError(_placed(problem, chosen) for problem in error.problems) from None

    def _edits(self, names: Sequence[str], definitions: Sequence[Definition]) -> PreparedEdits:
        """The devices' edits in order: each file's global ones once, before its first device."""
        found: PreparedEdits | None = None
        files: set[str] = set()
        for name, definition in zip(names, definitions, strict=True):
            path = definition.file.path
            own = self._edits_of(name, definition, with_global=path not in files)
            files.add(path)
            found = own if found is None else found + own
        return NOTHING if found is None else found

    def _edits_of(self, name: str, definition: Definition, *, with_global: bool) -> PreparedEdits:
        key = name, with_global
        found = self._prepared.get(key)
        if found is None:
            edits = definition.device.edits
            found = self._prepared[key] = prepare(definition.spec.edits + edits if with_global else edits)
        return found


def inject(
    oci: Mapping[str, Any],
    devices: Sequence[str],
    registry: Registry,
    nodes: HostNodes,
    *,
    bind_in_user_namespace: bool = False,
) -> Injection:
    """Give devices to one container; see `Injector.inject`, which is for several.

    Raises:
        SpecError: as there.
    """
    return Injector(registry).inject(oci, devices, nodes, bind_in_user_namespace=bind_in_user_namespace)


def apply_edits(
    oci: Mapping[str, Any], edits: ContainerEdits, nodes: HostNodes, *, bind_in_user_namespace: bool = False
) -> Injection:
    """Apply one block of edits.

    Raises:
        SpecError: the host lacks nodes (all of them; `path` is theirs), or `oci` isn't an OCI spec.
    """
    return _apply(oci, prepare(edits), nodes, [], bind_in_user_namespace=bind_in_user_namespace)


def _apply(
    oci: Mapping[str, Any],
    edits: PreparedEdits,
    host: HostNodes,
    warnings: list[Problem],
    *,
    bind_in_user_namespace: bool,
) -> Injection:
    """Apply edits kind by kind, in the Go library's order of kinds. Adds to the warnings."""
    spec = OciSpec(oci)
    if edits.env:
        spec.set_env(edits.env)
    in_user_namespace = spec.has_user_namespace()
    nodes, mounts = edits.nodes, edits.mounts
    if in_user_namespace and nodes.elsewhere:
        elsewhere = [node for node in nodes.nodes if is_elsewhere(node)]
        if bind_in_user_namespace:
            nodes = prepare_nodes([node for node in nodes.nodes if not is_elsewhere(node)])
            mounts += prepare_mounts([_bound(node) for node in elsewhere])
        else:
            warnings += [_cannot_make(node) for node in elsewhere]
    if nodes.incomplete:
        nodes = prepare_nodes(completed(nodes.nodes, host))
    if nodes.nodes:
        spec.add_devices(nodes)
    if edits.net_devices:
        spec.set_net_devices(edits.net_devices)
    if mounts.destinations:
        spec.add_mounts(mounts, in_user_namespace=in_user_namespace)
        warnings += edits.mount_warnings
    if edits.hooks:
        spec.add_hooks(edits.hooks)
    if edits.intel_rdt is not None:
        spec.set_intel_rdt(intel_rdt_entry(edits.intel_rdt))
    if edits.gids:
        spec.add_gids(edits.gids)
    return Injection(spec.root, tuple(warnings))


def _bound(node: DeviceNode) -> Mount:
    return Mount(host_path=node.host_path, container_path=node.path, options=("bind",))


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
