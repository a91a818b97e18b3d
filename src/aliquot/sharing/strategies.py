"""The ways to divide a GPU: what each isolates, how much each gives, and where each ends.

Sources: NVIDIA's MIG and MPS guides; NVIDIA/k8s-device-plugin at 1b826ac for what it does with `replicas`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from aliquot.devices.catalogue import GpuModel


class Strategy(StrEnum):
    """A way to divide a GPU among containers."""

    WHOLE = "whole"
    MIG = "mig"
    MPS = "mps"
    TIME_SLICING = "time-slicing"


class Guarantee(StrEnum):
    """How far a container is kept from its neighbours on the GPU."""

    HARDWARE = "hardware"
    """Kept apart by the hardware."""
    LIMIT = "limit"
    """A limit that the driver enforces while the limit is set: no wall."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Isolation:
    """What a strategy keeps apart."""

    memory: Guarantee
    """Whether a neighbour can use up the memory."""
    fault: Guarantee
    """Whether a neighbour's fatal fault is survived."""
    bandwidth: Guarantee
    """Whether a neighbour can use up the memory bandwidth and the compute."""

    @property
    def isolated(self) -> bool:
        """Whether the word may be used at all: everything is kept apart by the hardware."""
        return {self.memory, self.fault, self.bandwidth} == {Guarantee.HARDWARE}

    @property
    def shared(self) -> tuple[str, ...]:
        """What isn't kept apart by the hardware, in words for a person."""
        lacks = (
            (self.memory is Guarantee.NONE, "memory: a neighbour can take all of it"),
            (self.memory is Guarantee.LIMIT, "memory: kept apart by a limit, not by the hardware"),
            (self.fault is Guarantee.NONE, "faults: a neighbour's fatal fault can stop this one too"),
            (self.bandwidth is Guarantee.NONE, "speed: bandwidth and compute are shared, neighbours slow each other"),
        )
        return tuple(words for lacking, words in lacks if lacking)


ISOLATION: Final[Mapping[Strategy, Isolation]] = MappingProxyType(
    {
        Strategy.WHOLE: Isolation(Guarantee.HARDWARE, Guarantee.HARDWARE, Guarantee.HARDWARE),
        Strategy.MIG: Isolation(Guarantee.HARDWARE, Guarantee.HARDWARE, Guarantee.HARDWARE),
        Strategy.MPS: Isolation(Guarantee.LIMIT, Guarantee.NONE, Guarantee.NONE),
        Strategy.TIME_SLICING: Isolation(Guarantee.NONE, Guarantee.NONE, Guarantee.NONE),
    }
)


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
    if _capability(compute_capability) < (7, 0):
        return 16
    return 60 if cuda >= (13, 1) else 48


def device_plugin_mps_limit(compute_capability: str) -> int:
    """The most replicas that NVIDIA's device plugin accepts for MPS: its test leaves V100 (7.0) at 16."""
    return 48 if _capability(compute_capability) >= (7, 5) else 16


def replica_problems(strategy: Strategy, replicas: int, model: GpuModel, *, on_mig: bool = False) -> tuple[str, ...]:
    """Why a GPU can't be offered as so many replicas by NVIDIA's device plugin; empty if it can.

    Args:
        strategy: time-slicing or MPS.
        replicas: wanted per GPU.
        model: of the GPU.
        on_mig: whether the devices are MIG instances.
    """
    problems: list[str] = []
    if strategy not in {Strategy.TIME_SLICING, Strategy.MPS}:
        problems.append(f"{strategy.value} makes no replicas; use time-slicing or MPS")
    if replicas < 2:
        problems.append(f"replicas is {replicas}, at least 2 make a shared GPU")
    if strategy is Strategy.MPS:
        problems.extend(_mps_problems(replicas, model, on_mig=on_mig))
    return tuple(problems)


def _mps_problems(replicas: int, model: GpuModel, *, on_mig: bool) -> list[str]:
    if not model.mps or model.compute_capability is None:
        return [f"{model.key} has no MPS"]
    problems: list[str] = []
    if on_mig:
        problems.append("the device plugin offers MPS on whole GPUs only, not on MIG instances")
    limit = device_plugin_mps_limit(model.compute_capability)
    if replicas > limit:
        problems.append(f"replicas is {replicas}, the device plugin allows at most {limit} MPS clients on {model.key}")
    return problems


def _capability(text: str) -> tuple[int, int]:
    major, _, minor = text.partition(".")
    return int(major), int(minor or "0")
