"""The series of devices, under the names of DCGM 4.6 as its exporter and its dashboards spell them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from aliquot.devices.activity import Activity
from aliquot.devices.gpu import Gpu


@dataclass(frozen=True, slots=True)
class OfGpu:
    """A series of whole GPUs."""

    name: str
    help: str
    value: Callable[[Gpu], float | None]


@dataclass(frozen=True, slots=True)
class OfActivity:
    """A series of GPUs and of MIG instances alike, by counters that came with Hopper: shares from 0 to 1."""

    name: str
    help: str
    value: Callable[[Activity], float | None]


def _mib(value: int | None) -> float | None:
    return None if value is None else value >> 20


def _free(gpu: Gpu) -> float | None:
    memory = gpu.memory
    return None if memory is None else _mib(memory.total - memory.used - (memory.reserved or 0))


def _flag(value: bool | None) -> float | None:
    return None if value is None else float(value)


OF_GPU: Final = (
    OfGpu("DCGM_FI_DEV_GPU_TEMP", "Temperature of the GPU in degrees Celsius.", lambda gpu: gpu.temperature_c),
    OfGpu("DCGM_FI_DEV_POWER_USAGE", "Power that the GPU draws, in watts.", lambda gpu: gpu.power_w),
    OfGpu(
        "DCGM_FI_DEV_GPU_UTIL",
        "Time in which at least one kernel ran, in percent; unknown with MIG.",
        lambda gpu: gpu.utilisation_percent,
    ),
    OfGpu(
        "DCGM_FI_DEV_FB_TOTAL", "Memory in MiB.", lambda gpu: _mib(gpu.memory.total if gpu.memory is not None else None)
    ),
    OfGpu("DCGM_FI_DEV_FB_FREE", "Memory that is free, in MiB.", _free),
    OfGpu(
        "DCGM_FI_DEV_FB_USED",
        "Memory in use, in MiB.",
        lambda gpu: _mib(gpu.memory.used if gpu.memory is not None else None),
    ),
    OfGpu(
        "DCGM_FI_DEV_FB_RESERVED",
        "Memory that the driver keeps for itself, in MiB.",
        lambda gpu: _mib(gpu.memory.reserved if gpu.memory is not None else None),
    ),
    OfGpu(
        "DCGM_FI_DEV_ROW_REMAP_FAILURE",
        "Whether a memory row couldn't be remapped.",
        lambda gpu: _flag(gpu.rows_failed),
    ),
    OfGpu(
        "DCGM_FI_DEV_ROW_REMAP_PENDING",
        "Whether a memory row waits for a reset to be remapped.",
        lambda gpu: _flag(gpu.rows_pending),
    ),
)
XIDS: Final = "DCGM_FI_DEV_XID_ERRORS"
XIDS_HELP: Final = "The last XID; 0: none since the driver was loaded."

OF_ACTIVITY: Final = (
    OfActivity("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "Time in which the graphics engine was active.", lambda one: one.busy),
    OfActivity("DCGM_FI_PROF_SM_ACTIVE", "Multiprocessors with work, averaged.", lambda one: one.sm),
    OfActivity(
        "DCGM_FI_PROF_SM_OCCUPANCY", "Warps on multiprocessors, of the most they hold.", lambda one: one.occupancy
    ),
    OfActivity("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "Time in which tensor cores were active.", lambda one: one.tensor),
    OfActivity("DCGM_FI_PROF_DRAM_ACTIVE", "Memory bandwidth used.", lambda one: one.dram),
)


def counted(one: Activity) -> bool:
    """Whether it comes from the GPU's counters; what is only utilisation is another series."""
    return one.gi is not None or any(value is not None for value in (one.sm, one.occupancy, one.tensor, one.dram))
