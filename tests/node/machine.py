"""A folder like the root of a GPU node: a healthy one, for tests to break; sockets in it are real."""

import json
import shutil
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from aliquot.node.protos.generated import dra_v1_pb2 as dra
from aliquot.node.protos.generated import registration_v1_pb2 as registration
from aliquot.node.protos.generated import runtime_v1_pb2 as runtime
from aliquot.node.protos.rpc import Implementation
from aliquot.node.protos.services import DRA_PLUGIN, DRA_V1, GET_INFO, PREPARE_V1, RUNTIME_VERSION
from tests.sandbox.driver import serve

BOOT: Final = "6f1a3a0e-boot"
GPU, DOMAIN = "gpu.nvidia.com", "compute-domain.nvidia.com"
CONTAINERD: Final = """
version = 2
[plugins."io.containerd.grpc.v1.cri"]
enable_cdi = true
"""
STATUS: Final = "Name:\tpython\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nCapEff:\t{capabilities}\n"


class Machine:
    """Use it in a `with`. Its folders' names are short enough for sockets."""

    def __init__(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="n", dir="/tmp"))
        self.kubelet = self.root / "var/lib/kubelet"
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self.file("proc/sys/kernel/ostype", "Linux\n")
        self.file("proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
        self.file("proc/sys/kernel/random/boot_id", f"{BOOT}\n")
        self.file("proc/self/status", STATUS.format(uid=0, capabilities="000001ffffffffff"))
        self.file("proc/self/mounts", "overlay / overlay rw,relatime 0 0\nproc /proc proc rw 0 0\n")
        self.file("etc/containerd/config.toml", CONTAINERD)
        self.file("usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1", "\x7fELF GLIBC_2.2.5\0GLIBC_2.14\0")
        (self.root / "run/cdi").mkdir(parents=True)
        (self.root / "var").mkdir()
        (self.root / "var/run").symlink_to("/run")
        self.runtime("containerd", "v1.7.29")
        for folder in ("plugins_registry", "plugins", "device-plugins", "pod-resources"):
            (self.kubelet / folder).mkdir(parents=True)
        self.listen("var/lib/kubelet/device-plugins/kubelet.sock")
        self.listen("var/lib/kubelet/pod-resources/kubelet.sock")
        self.file("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\nfeatureGates: {}\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
        shutil.rmtree(self.root)

    def file(self, path: str, words: str) -> Path:
        """A file in place of what was there."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(words, encoding="utf-8")
        return target

    def listen(self, path: str, *, dead: bool = False) -> Path:
        """A socket where somebody listens, or did."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.bind(str(target))
        if dead:
            made.close()
        else:
            made.listen()
            self._open.callback(made.close)
        return target

    def process(self, pid: int, name: str, *words: str) -> None:
        """A process that can be seen."""
        self.file(f"proc/{pid}/comm", f"{name[:15]}\n")
        self.file(f"proc/{pid}/cmdline", "\0".join((name, *words, "")))

    def runtime(self, name: str, version: str, path: str = "run/containerd/containerd.sock") -> None:
        """A container runtime that says its version."""
        told = runtime.VersionResponse(version="0.1.0", runtime_name=name, runtime_version=version)
        self._serve(self.root / path, RUNTIME_VERSION.by(lambda _, __: told))

    def nvidias_driver(self, driver: str = GPU) -> None:
        """NVIDIA's DRA driver: our name, our sockets, and none of our own methods."""
        endpoint = self.kubelet / "plugins" / driver / "dra.sock"
        info = registration.PluginInfo(
            type=DRA_PLUGIN, name=driver, endpoint=str(endpoint), supported_versions=[DRA_V1]
        )
        self._serve(endpoint, PREPARE_V1.by(lambda _, __: dra.NodePrepareResourcesResponse()))
        self._serve(self.kubelet / "plugins_registry" / f"{driver}-reg.sock", GET_INFO.by(lambda _, __: info))

    def _serve(self, path: Path, method: Implementation) -> None:
        server = serve(path, [method])
        self._open.callback(lambda: server.stop(None).wait())

    def nvidias_checkpoint(self, content: dict[str, Any] | str) -> Path:
        """Of its claims."""
        text = content if isinstance(content, str) else json.dumps(content)
        return self.file(f"var/lib/kubelet/plugins/{GPU}/checkpoint.json", text)
