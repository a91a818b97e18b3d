"""How busy GPUs are, by NVML in the worker process: GPM's counters on Hopper and newer, utilisation elsewhere.

GPM compares two samples at least 100 ms apart; the last one is kept, so that whoever asks now and then needn't wait.
Values are percent; NaN happens. Utilisation isn't known as soon as MIG is on.
"""

import math
from collections.abc import Sequence
from time import monotonic, sleep
from typing import Any, Final

import pynvml

from aliquot.devices.hosts.nvml.ask import FUNCTION_NOT_FOUND, NOT_SUPPORTED

_APART_S: Final = 0.1
_METRICS: Final = {1: "busy", 2: "sm", 3: "occupancy", 5: "tensor", 10: "dram"}
"""GPM's ids of graphics engine, SM utilisation, SM occupancy, any tensor pipe, DRAM bandwidth."""


class Counters:
    """The last samples, by GPU and instance."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, int | None], tuple[float, Any]] = {}

    def activity(self, handle: Any, pci: str, instances: Sequence[int]) -> list[dict[str, Any]]:
        """Of each instance or, where none are named, of the whole GPU; empty where nothing can be measured.

        Raises:
            NVMLError: the GPU or the driver is gone.
        """
        if _has_gpm(handle):
            asked: Sequence[int | None] = instances or (None,)
            return [each for gi in asked if (each := self._measured(handle, pci, gi)) is not None]
        if instances:
            return []
        try:
            return [{"gi": None, "busy": pynvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100}]
        except pynvml.NVMLError as error:
            if error.value in {NOT_SUPPORTED, FUNCTION_NOT_FOUND}:
                return []
            raise

    def _measured(self, handle: Any, pci: str, gi: int | None) -> dict[str, Any] | None:
        try:
            then, before = self._last.pop((pci, gi), (None, None))
            if then is None:
                then, before = monotonic(), _sample(handle, gi)
            sleep(max(0.0, _APART_S - (monotonic() - then)))
            self._last[pci, gi] = monotonic(), _sample(handle, gi)
            return {"gi": gi, **_between(before, self._last[pci, gi][1])}
        except pynvml.NVMLError as error:
            if error.value in {NOT_SUPPORTED, FUNCTION_NOT_FOUND}:
                return None
            raise


def _has_gpm(handle: Any) -> bool:
    try:
        return bool(pynvml.nvmlGpmQueryDeviceSupport(handle).isSupportedDevice)
    except pynvml.NVMLError as error:
        if error.value in {NOT_SUPPORTED, FUNCTION_NOT_FOUND}:
            return False
        raise


def _sample(handle: Any, gi: int | None) -> Any:
    sample = pynvml.nvmlGpmSampleAlloc()
    try:
        if gi is None:
            pynvml.nvmlGpmSampleGet(handle, sample)
        else:
            pynvml.nvmlGpmMigSampleGet(handle, gi, sample)
    except pynvml.NVMLError:
        pynvml.nvmlGpmSampleFree(sample)
        raise
    return sample


def _between(older: Any, newer: Any) -> dict[str, float]:
    """The metrics between two samples, as shares; those without a value are left out. The older one is freed."""
    asked = pynvml.c_nvmlGpmMetricsGet_t()
    asked.version = pynvml.NVML_GPM_METRICS_GET_VERSION
    asked.numMetrics, asked.sample1, asked.sample2 = len(_METRICS), older, newer
    for place, number in enumerate(_METRICS):
        asked.metrics[place].metricId = number
    try:
        pynvml.nvmlGpmMetricsGet(asked)
    finally:
        pynvml.nvmlGpmSampleFree(older)
    told = [(name, asked.metrics[place]) for place, name in enumerate(_METRICS.values())]
    return {name: each.value / 100 for name, each in told if each.nvmlReturn == 0 and math.isfinite(each.value)}
