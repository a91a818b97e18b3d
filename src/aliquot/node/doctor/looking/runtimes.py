"""The container runtimes of a machine that a kubelet may use, and whether CDI is on in them."""

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import grpc

from aliquot.cdi.host.tree import Tree
from aliquot.cdi.machine.runtimes import installed_version
from aliquot.cdi.problems import Problem, SpecError
from aliquot.cdi.runtime_config.assess import CONFIG_FILES, assess
from aliquot.cdi.runtime_config.releases import Runtime
from aliquot.node.doctor.found import RuntimeFound
from aliquot.node.protos.generated import runtime_v1_pb2 as messages
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import RUNTIME_VERSION

_PATIENCE_SECONDS: Final = 2.0

_SOCKETS: Final[tuple[tuple[Runtime, str, str], ...]] = (
    ("containerd", "/run/containerd/containerd.sock", ""),
    ("containerd", "/run/k3s/containerd/containerd.sock", "/var/lib/rancher/k3s/agent/etc/containerd/config.toml"),
    ("containerd", "/run/k3s/containerd/containerd.sock", "/var/lib/rancher/rke2/agent/etc/containerd/config.toml"),
    ("crio", "/run/crio/crio.sock", ""),
    ("crio", "/var/run/crio/crio.sock", ""),
)
"""Where each is called, and its configuration where that isn't the usual one: K3s and RKE2 bring their own."""


class FilesBelow:
    """Configuration files below a root."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def read(self, path: str) -> str | None:
        """The text of a file, None where there's none.

        Raises:
            SpecError: it can't be read.
        """
        found = self._tree.resolve(path) if path else None
        if found is None:
            return None
        try:
            return Path(self._tree.host_path(found)).read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise SpecError([Problem("io", f"it can't be read: {error}", file=path)]) from None

    def matching(self, pattern: str) -> tuple[str, ...]:
        """The paths that match a pattern as Go has them, hidden ones too."""
        folder, _, last = pattern.replace("[^", "[!").rpartition("/")
        hidden = self._tree.glob(f"{folder}/.{last}") if last.startswith("*") else ()
        return tuple(sorted({*self._tree.glob(f"{folder}/{last}"), *hidden}))

    def below(self, folder: str) -> tuple[str, ...]:
        """All files below a folder."""
        return tuple(sorted(self._walk(folder), key=lambda path: path.split("/")))

    def _walk(self, folder: str) -> Iterator[str]:
        for name in self._tree.names(folder):
            path = f"{folder.rstrip('/')}/{name}"
            if self._tree.link_text(path) is None and self._tree.is_folder(path):
                yield from self._walk(path)
            else:
                yield path


def look_at_runtimes(tree: Tree, endpoint: str | None) -> tuple[RuntimeFound, ...]:
    """Which there are, and what their configuration says.

    Args:
        tree: the machine.
        endpoint: where the kubelet calls its own; None: that isn't known, and each that's here counts.
    """
    found: list[RuntimeFound] = []
    for name, by, socket, config in _here(tree, endpoint):
        if any(one.name == name for one in found):
            continue
        version = _version(tree, name, socket)
        try:
            answer = assess(name, config or CONFIG_FILES[name], FilesBelow(tree), version)
            found.append(RuntimeFound(name=name, by=by, assessment=answer))
        except SpecError as error:
            found.append(RuntimeFound(name=name, by=by, assessment=None, problems=tuple(error.problems)))
    return tuple(found)


def _version(tree: Tree, name: Runtime, socket: str) -> str:
    """As the runtime answers, or its program on this machine; empty: neither does."""
    if socket:
        with suppress(grpc.RpcError), dial(tree.host_path(tree.resolve(socket) or socket)) as channel:
            told = RUNTIME_VERSION.on(channel)(messages.VersionRequest(), timeout=_PATIENCE_SECONDS)
            match = re.match(r"v?(\d+\.\d+(?:\.\d+)?)", told.runtime_version)
            if match is not None:
                return match.group(1)
    return installed_version(name) if tree.root == "/" else ""


def _here(tree: Tree, endpoint: str | None) -> Iterator[tuple[Runtime, str, str, str]]:
    """Which, how that's known, its socket ("": unknown), and its configuration file ("": the usual one)."""
    called = (endpoint or "").removeprefix("unix://")
    for name, socket, config in _SOCKETS:
        if called:
            if socket == called.replace("/var/run/", "/run/") and (not config or tree.is_file(config)):
                yield name, f"the kubelet calls it at {endpoint}", socket, config
        elif tree.is_file(socket) and (not config or tree.is_file(config)):
            yield name, f"its socket is {socket}", socket, config
    if called:
        return
    for name in ("containerd", "crio"):
        runtime: Runtime = name
        if tree.is_file(CONFIG_FILES[runtime]) or (runtime == "crio" and tree.is_file("/etc/crio/crio.conf")):
            yield runtime, "its configuration is here", "", ""
        elif tree.root == "/" and shutil.which(name) is not None:
            yield runtime, "its program is here", "", ""
