"""The kubelet's folders and sockets, below its root."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

LONGEST_SOCKET: Final = 107
"""Bytes of a Unix socket's path (sun_path has 108, with the zero at the end)."""


@dataclass(frozen=True, slots=True)
class KubeletFolders:
    """Below `root`, which is /var/lib/kubelet on most machines."""

    root: Path

    @property
    def registry(self) -> Path:
        """Where plugins put their registration sockets."""
        return self.root / "plugins_registry"

    @property
    def plugins(self) -> Path:
        """Where drivers keep their own socket and state, each in a folder of its name."""
        return self.root / "plugins"

    @property
    def device_plugins(self) -> Path:
        """Where device plugins put their sockets."""
        return self.root / "device-plugins"

    @property
    def kubelet_socket(self) -> Path:
        """Where device plugins register."""
        return self.device_plugins / "kubelet.sock"

    @property
    def device_checkpoint(self) -> Path:
        """Which container has which devices."""
        return self.device_plugins / "kubelet_internal_checkpoint"

    @property
    def claim_checkpoint(self) -> Path:
        """Which claims are prepared for which pods."""
        return self.root / "dra_manager_state"

    @property
    def pod_resources_socket(self) -> Path:
        """Where monitoring asks."""
        return self.root / "pod-resources" / "kubelet.sock"

    def make(self) -> None:
        """Make them, where they don't exist.

        Raises:
            ValueError: the root is so long that no socket would fit below it.
        """
        longest = max(len(str(self.kubelet_socket)), len(str(self.pod_resources_socket)))
        if longest > LONGEST_SOCKET:
            raise ValueError(
                f"{self.root}: too long for the sockets below it: their paths would have {longest} bytes, "
                f"{LONGEST_SOCKET} is the limit; take a shorter root"
            )
        for folder in (self.registry, self.plugins, self.device_plugins, self.pod_resources_socket.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o750)

    def clear_device_plugins(self) -> None:
        """As a starting kubelet does: all plugins' sockets go, so that they notice and register again."""
        for entry in self.device_plugins.iterdir():
            if entry != self.device_checkpoint and not entry.is_dir():
                entry.unlink(missing_ok=True)
