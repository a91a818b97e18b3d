"""The machine: its kernel, its driver's files and nodes, NVIDIA's container runtime."""

import platform
import re
from typing import Final

import msgspec

from aliquot.cdi.host.driver_files import LIBRARY_FOLDERS
from aliquot.cdi.host.tree import Tree
from aliquot.node.doctor.found import MachineFound

OPERATOR_DRIVER: Final = "/run/nvidia/driver"
_READY: Final = "/run/nvidia/validations"
_NVML: Final = "libnvidia-ml.so.1"
_RUNTIME_CONFIG: Final = "/etc/nvidia-container-runtime/config.toml"
_IMEX: Final = "nvidia-caps-imex-channels"


def look_at_machine(tree: Tree) -> MachineFound:
    """What its files tell."""
    library = _first(tree, _NVML, (*LIBRARY_FOLDERS, *(f"{OPERATOR_DRIVER}{folder}" for folder in LIBRARY_FOLDERS)))
    libc = _first(tree, "libc.so.6", LIBRARY_FOLDERS)
    version = re.search(r"Kernel Module(?: for \S+)?\s+([0-9.]+)", tree.text("/proc/driver/nvidia/version") or "")
    return MachineFound(
        system=tree.text("/proc/sys/kernel/ostype") or (platform.system() if tree.root == "/" else None),
        release=tree.text("/proc/sys/kernel/osrelease"),
        dxg=tree.is_file("/dev/dxg"),
        gpu_nodes=tuple(name for name in tree.names("/dev") if re.fullmatch(r"nvidia\d+", name)),
        control_node=tree.is_file("/dev/nvidiactl"),
        uvm_node=tree.is_file("/dev/nvidia-uvm"),
        imex_channels=_imex(tree),
        module=version.group(1) if version is not None else None,
        library=library,
        library_needs=_newest(tree, library, rb"GLIBC_(\d+)\.(\d+)"),
        host_libc=_newest(tree, libc, rb"GNU C Library[^\n]*? version (\d+)\.(\d+)"),
        nvidia_runtime_mode=_mode(tree),
        operator=tuple(
            name.removesuffix("-ready") for name in tree.names(_READY) if name.endswith("-ready") and name[0] != "."
        ),
        operator_driver=tree.is_folder(OPERATOR_DRIVER) and bool(tree.names(OPERATOR_DRIVER)),
    )


def _first(tree: Tree, name: str, folders: tuple[str, ...]) -> str | None:
    paths = (f"{folder.rstrip('/')}/{name}" for folder in folders)
    return next((path for path in paths if tree.is_file(path)), None)


def _newest(tree: Tree, path: str | None, pattern: bytes) -> tuple[int, int] | None:
    content = tree.content(path) if path is not None else None
    versions = [(int(major), int(minor)) for major, minor in re.findall(pattern, content or b"")]
    return max(versions, default=None)


def _imex(tree: Tree) -> int | None:
    if not re.search(rf"^\s*\d+ {_IMEX}$", tree.text("/proc/devices") or "", re.MULTILINE):
        return None
    return sum(name.startswith("channel") for name in tree.names(f"/dev/{_IMEX}"))


class _Runtime(msgspec.Struct):
    mode: str = "auto"


class _RuntimeConfig(msgspec.Struct):
    runtime: _Runtime = msgspec.field(default_factory=_Runtime, name="nvidia-container-runtime")


def _mode(tree: Tree) -> str | None:
    """None where there's no such file, or it can't be understood."""
    content = tree.content(_RUNTIME_CONFIG)
    try:
        return None if content is None else msgspec.toml.decode(content, type=_RuntimeConfig).runtime.mode
    except msgspec.MsgspecError:
        return None
