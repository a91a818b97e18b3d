"""Devices that are little more than device nodes: IMEX channels, file systems and fabrics of NVIDIA, WSL."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aliquot.cdi.generate.edits_builder import EditsBuilder
from aliquot.cdi.generate.inventory import DriverFile, FileKind, FoundNode
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.spec import NO_EDITS, ContainerEdits, Device, DeviceNode

IMEX_FOLDER = "/dev/nvidia-caps-imex-channels"
MAX_IMEX_CHANNEL = (1 << 20) - 1

WSL_SMI = "/usr/bin/nvidia-smi"


def all_of(builder: EditsBuilder, *patterns: str, files: FileKind | None = None) -> Iterator[Device]:
    """One device with all nodes that match, and with the driver's files of that kind; nothing without a node."""
    edits = builder.nodes(*patterns)
    if edits:
        driver = builder.inventory.driver
        found = tuple(file for file in driver.files if file.kind == files) if driver is not None else ()
        yield Device(name="all", edits=edits + builder.mounts(found))


def imex_devices(builder: EditsBuilder, wanted: Sequence[str]) -> tuple[Device, ...]:
    """A device per IMEX channel, named by its number; wanted are `all`, `N` or `channelN`.

    Nodes carry no numbers: the driver gives them out anew at each start.

    Raises:
        SpecError: a channel isn't one, or isn't there; all of them.
    """
    known = {node.path: node for node in builder.matching(f"{IMEX_FOLDER}/channel*")}
    chosen: list[FoundNode] = []
    problems: list[Problem] = []
    for text in wanted:
        number = text.removeprefix("channel")
        node = known.get(f"{IMEX_FOLDER}/channel{number}")
        if number == "all":
            chosen += sorted(known.values(), key=lambda found: found.path)
        elif not re.fullmatch(r"[0-9]+", number) or int(number) > MAX_IMEX_CHANNEL:
            hint = f"give a number up to {MAX_IMEX_CHANNEL}, or all"
            problems.append(Problem("name", f"{text!r} is no IMEX channel", "device-id", hint))
        elif node is None:
            hint = f"make it with mknod, or ask for {', '.join(sorted(known)) or 'none: this host has no channel'}"
            problems.append(Problem("host", f"the IMEX channel {number} has no node on this host", "device-id", hint))
        else:
            chosen.append(node)
    if problems:
        raise SpecError(problems)
    return tuple(
        Device(name=node.path.rpartition("channel")[2], edits=_bare(builder, node)) for node in dict.fromkeys(chosen)
    )


def _bare(builder: EditsBuilder, node: FoundNode) -> ContainerEdits:
    numbered = builder.found([node]).device_nodes[0]
    return ContainerEdits(device_nodes=(DeviceNode(path=numbered.path, host_path=numbered.host_path),))


@dataclass(frozen=True, slots=True)
class Wsl:
    """What WSL's one device needs by itself, and with it."""

    device: ContainerEdits
    common: ContainerEdits


def wsl_device(builder: EditsBuilder) -> Wsl:
    """All GPUs of the Windows host at once: `/dev/dxg` and the driver store; there are no others to choose from."""
    store = builder.inventory.wsl
    if store is None:
        return Wsl(builder.nodes("/dev/dxg"), NO_EDITS)
    files = [DriverFile(path=path, kind="config") for path in (*store.required, *store.others)]
    smi = next((path for path in store.required if path.endswith("/nvidia-smi")), None)
    links = ((smi, WSL_SMI),) if smi is not None else ()
    folders = tuple(path.rpartition("/")[0] for path in store.required if ".so" in path)
    hooks = builder.hooks.links(links) + builder.hooks.ldcache(folders)
    return Wsl(builder.nodes("/dev/dxg"), builder.mounts(files) + ContainerEdits(hooks=hooks))
