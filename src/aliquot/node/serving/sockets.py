"""Where a DRA driver's sockets are. The kubelet's helper library has the same names, which others look for.

Source: k8s.io/dynamic-resource-allocation/kubeletplugin, 1.36 (rolling update: two plugins of one driver at a time).
"""

from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final

LONGEST_PATH: Final = 107
"""Bytes that the address of a Unix socket has room for, without its end."""


def registration_socket(registry: Path, driver: str, pod_uid: str = "") -> Path:
    """In `plugins_registry`, which the kubelet watches.

    Args:
        registry: that folder.
        driver: its name.
        pod_uid: of the agent's pod, where two of them may run for a while; empty: one at a time.

    Raises:
        ValueError: the folder's own path leaves no room.
    """
    if not pod_uid:
        return _first(registry / f"{driver}-reg.sock")
    return _first(
        registry / f"{driver}-{pod_uid}-reg.sock",
        registry / f"{driver}-{_short(pod_uid.encode(), 8)}-reg.sock",
        registry / f"dra-{_short(driver.encode() + bytes(1) + pod_uid.encode(), 16)}-reg.sock",
    )


def dra_socket(plugins: Path, driver: str, pod_uid: str = "") -> Path:
    """In a folder of the driver's own, below `plugins`; the kubelet learns of it by GetInfo.

    Raises:
        ValueError: the folder's own path leaves no room.
    """
    folder = plugins / driver
    if not pod_uid:
        return _first(folder / "dra.sock")
    return _first(folder / f"dra-{pod_uid}.sock", folder / f"dra-{_short(pod_uid.encode(), 8)}.sock")


def _short(data: bytes, length: int) -> str:
    return urlsafe_b64encode(sha256(data).digest()[:length]).decode().rstrip("=")


def _first(*paths: Path) -> Path:
    """The first that fits."""
    for path in paths:
        if len(str(path).encode()) <= LONGEST_PATH:
            return path
    raise ValueError(f"{paths[-1]} is longer than the {LONGEST_PATH} bytes of a socket's address: use a shorter folder")
