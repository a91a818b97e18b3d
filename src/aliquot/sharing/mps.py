"""MPS: how many clients one server takes, and what each may use.

Sources: NVIDIA's MPS guide; for the device plugin's own limits, NVIDIA/k8s-device-plugin at 1b826ac.
"""

from dataclasses import dataclass
from typing import Final

DEVICE_PLUGIN_MOST: Final = 48
"""The most replicas of a GPU that NVIDIA's device plugin accepts for MPS, on any GPU."""


@dataclass(frozen=True, slots=True)
class MpsShare:
    """What one MPS client may use."""

    memory_mib: int
    """A limit on what it may allocate; it isn't reserved."""
    active_thread_percent: int
    """A cap on the share of the multiprocessors; it isn't reserved."""


def mps_share(memory_mib: int, replicas: int) -> MpsShare:
    """The share of one replica as the device plugin sets it: whole MiB and whole percents, cut off.

    Args:
        memory_mib: of the whole GPU, as its driver reports it.
        replicas: 2 or more.
    """
    return MpsShare(memory_mib // replicas, 100 // replicas)


def mps_client_limit(compute_capability: str, cuda: tuple[int, int]) -> int:
    """The most clients of one MPS server: 16 before Volta, 48 from Volta on, 60 with CUDA 13.1 or later.

    Args:
        compute_capability: such as `8.0`.
        cuda: the CUDA version of the driver, major and minor.
    """
    if capability(compute_capability) < (7, 0):
        return 16
    return 60 if cuda >= (13, 1) else 48


def device_plugin_mps_limit(compute_capability: str) -> int:
    """The most replicas that NVIDIA's device plugin accepts for MPS: its test leaves V100 (7.0) at 16."""
    return DEVICE_PLUGIN_MOST if capability(compute_capability) >= (7, 5) else 16


def capability(text: str) -> tuple[int, int]:
    """A compute capability such as `8.0` as numbers that compare."""
    major, _, minor = text.partition(".")
    return int(major), int(minor or "0")
