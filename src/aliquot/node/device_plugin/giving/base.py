"""What of the host an answer to a container rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from aliquot.cdi.generate.edits_builder import EditsBuilder
from aliquot.cdi.generate.hook_calls import HookCalls
from aliquot.cdi.generate.inventory import Inventory, under
from aliquot.cdi.generate.nvidia import CONTROL_NODES, gpu_devices
from aliquot.cdi.problems import SpecError
from aliquot.devices.gpu import Gpu
from aliquot.devices.survey import Survey
from aliquot.node.device_plugin.offering.resource import Unit
from aliquot.sharing.inventory import inventory_of
from aliquot.sharing.setup.steps import Daemon


@dataclass(frozen=True, slots=True)
class Node:
    """A device node: where the container has it, and where the host does."""

    path: str
    host_path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The host's GPUs, its files, and the daemons that run."""

    gpus: Mapping[str, Gpu] = field(default_factory=lambda: MappingProxyType(dict[str, Gpu]()))
    """By UUID."""
    files: Inventory | None = None
    """What is on disk, with the GPUs of the survey; None: not known."""
    cdi_names: frozenset[str] | None = None
    """The devices of the base spec; None: not known."""
    daemons: Mapping[str, Daemon] = field(default_factory=lambda: MappingProxyType(dict[str, Daemon]()))
    """MPS daemons by their GPU's UUID."""


def on_host(survey: Survey, files: Inventory | None) -> Inventory | None:
    """A host's files with its GPUs."""
    return inventory_of(files, survey) if files is not None else None


def nodes_of(units: tuple[Unit, ...], files: Inventory | None, dev_root: str | None) -> tuple[Node, ...] | str:
    """The device nodes of units, the driver's own first; or why they aren't known.

    Those for drawing (/dev/dri) aren't among them: NVIDIA's plugin doesn't pass them either.
    """
    if files is None:
        return "which device nodes the host has isn't known"
    builder = EditsBuilder(files, HookCalls())
    control = ("/dev/dxg",) if files.wsl is not None else CONTROL_NODES
    paths = {path: None for path in control if files.node(path) is not None}
    for unit in () if files.wsl is not None else units:
        try:
            devices = gpu_devices(builder, (unit.uuid,), ("uuid",))
        except SpecError as error:
            return "; ".join(problem.message for problem in error.problems)
        if not devices:
            return f"not all device nodes of {unit.where} exist"
        paths |= {node.path: None for node in devices[0].edits.device_nodes if not node.path.startswith("/dev/dri/")}
    root = files.dev_root if dev_root is None else dev_root
    return tuple(Node(path, under(root, path)) for path in paths)
