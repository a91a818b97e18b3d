"""Where the kubelet has its folders, whether it's there, and how it's configured.

Its root isn't /var/lib/kubelet everywhere: its command line tells it where processes can be seen, else the places of
known distributions are tried.
"""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from aliquot.cdi.host.tree import Tree
from aliquot.node.doctor.found import KubeletFound
from aliquot.node.doctor.looking.command_line import Flags, kubelet_flags, on_or_off
from aliquot.node.doctor.looking.folders import look_at_folder
from aliquot.node.neighbours.ask import knock
from aliquot.node.neighbours.found import Socket

USUAL: Final = "/var/lib/kubelet"
PLACES: Final = (
    USUAL,
    "/var/snap/microk8s/common/var/lib/kubelet",
    "/var/lib/k0s/kubelet",
    "/var/data/kubelet",
    "/var/vcap/data/kubelet",
)
"""Kubernetes' own, MicroK8s', k0s', IBM Cloud's, Tanzu's."""
_FOLDERS: Final = ("plugins_registry", "plugins", "device-plugins", "pod-resources")


def look_at_kubelet(tree: Tree, given: Path | None) -> KubeletFound:
    """The kubelet of a machine."""
    flags = kubelet_flags(tree)
    told = flags.get("root-dir") if flags is not None else None
    with_socket = [place for place in PLACES if _has_socket(Path(tree.host_path(place)))]
    root, how = _root(tree, given, told, with_socket)
    settings, files = _settings(tree, root, flags)
    return KubeletFound(
        root=str(root),
        how=how,
        told=told or (USUAL if flags is not None else None),
        others=tuple(place for place in with_socket if Path(tree.host_path(place)) != root),
        folders=tuple(look_at_folder(root / name) for name in _FOLDERS),
        device_plugins=_socket(root / "device-plugins" / "kubelet.sock"),
        pod_resources=_socket(root / "pod-resources" / "kubelet.sock"),
        version=_version() if tree.root == "/" else None,
        gates=_gates(settings, flags) if files or flags is not None else None,
        gates_from=(*files, *(["its command line"] if flags is not None else [])),
        runtime=_runtime(settings, flags),
        boot=tree.text("/proc/sys/kernel/random/boot_id"),
    )


def _root(tree: Tree, given: Path | None, told: str | None, with_socket: list[str]) -> tuple[Path, str]:
    if given is not None:
        return given, "as --kubelet-root says"
    if told is not None:
        return Path(tree.host_path(told)), "as the kubelet's own --root-dir says"
    if with_socket:
        return Path(tree.host_path(with_socket[0])), "where its socket is"
    return Path(tree.host_path(USUAL)), "the usual place"


def _has_socket(root: Path) -> bool:
    try:
        return (root / "device-plugins" / "kubelet.sock").exists()
    except OSError:
        return False


def _socket(path: Path) -> Socket | None:
    try:
        return knock(path) if path.exists() else None
    except OSError:
        return knock(path)  # which tells why it can't be seen


class Settings(msgspec.Struct, rename="camel"):
    """Of a kubelet's configuration file, what concerns us."""

    feature_gates: dict[str, bool] = {}
    container_runtime_endpoint: str = ""


def _settings(tree: Tree, root: Path, flags: Flags | None) -> tuple[Settings, tuple[str, ...]]:
    """Its configuration, file upon file, and which files could be read."""
    settings = Settings()
    read: list[str] = []
    for file in _files(tree, root, flags or {}):
        try:
            found = msgspec.yaml.decode(file.read_bytes(), type=Settings)
        except (OSError, msgspec.MsgspecError):
            continue
        settings.feature_gates = {**settings.feature_gates, **found.feature_gates}
        settings.container_runtime_endpoint = found.container_runtime_endpoint or settings.container_runtime_endpoint
        read.append(str(file))
    return settings, tuple(read)


def _files(tree: Tree, root: Path, flags: Flags) -> Iterator[Path]:
    named = flags.get("config")
    yield Path(tree.host_path(named)) if named else root / "config.yaml"
    folder = flags.get("config-dir")
    if folder:
        yield from (Path(tree.host_path(f"{folder}/{name}")) for name in tree.names(folder) if name.endswith(".conf"))


def _gates(settings: Settings, flags: Flags | None) -> Mapping[str, bool]:
    return {**settings.feature_gates, **on_or_off((flags or {}).get("feature-gates", ""))}


def _runtime(settings: Settings, flags: Flags | None) -> str | None:
    return (flags or {}).get("container-runtime-endpoint") or settings.container_runtime_endpoint or None


def _version() -> str | None:
    """What `kubelet --version` says; None where there's no such program here."""
    program = shutil.which("kubelet")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "--version"], check=False, capture_output=True, text=True, timeout=20)  # noqa: S603 a fixed command
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip().removeprefix("Kubernetes ") or None
