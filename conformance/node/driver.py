"""Drivers as processes: where each finds its things, the one in Go, and its life."""

import contextlib
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.go_programs import built

SOURCES: Final = Path(__file__).parent.parent / "go/nodedriver"
DRIVER: Final = "gpu.nvidia.com"
STOP_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Places:
    """Where a driver finds everything, and leaves everything."""

    folder: Path
    """With a short path: sockets lie in it."""
    node: str
    kubeconfig: Path

    @property
    def kubelet(self) -> Path:
        """What is /var/lib/kubelet on a node."""
        return self.folder / "k"

    @property
    def cdi(self) -> Path:
        """For CDI specs."""
        return self.folder / "cdi"

    @property
    def log(self) -> Path:
        """What it says."""
        return self.folder / "log"

    @property
    def options(self) -> list[str]:
        """The same, as the driver in Go and Aliquot's agent take it."""
        return [
            f"--node-name={self.node}",
            f"--kubeconfig={self.kubeconfig}",
            f"--kubelet-root={self.kubelet}",
            f"--cdi-folder={self.cdi}",
        ]


def build() -> Path:
    """The driver in Go.

    Raises:
        MissingReferenceError: Go is missing, or can't get its modules.
    """
    return built(SOURCES, "nodedriver", "a DRA driver over kubeletplugin")


def in_go(places: Places) -> list[str]:
    """Its command."""
    return [str(build()), *places.options]


@contextlib.contextmanager
def running(command: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The process, until the block ends; what it says goes into a file."""
    with log.open("ab") as stream:
        process = subprocess.Popen(command, stdout=stream, stderr=stream)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
