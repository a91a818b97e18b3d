"""The fake library is no naive one: what real NVML does to a careless caller, it does too."""

import os
import subprocess
import sys

import pytest

from tests.devices.hosts.fake import Fake

BEGIN = """
import ctypes, os, pynvml as n
ctypes.CDLL(os.environ["FAKE_NVML"], mode=ctypes.RTLD_GLOBAL)
def code(call, *arguments):
    try:
        call(*arguments)
    except n.NVMLError as error:
        return error.value
    return 0
"""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("print(code(n.nvmlDeviceGetCount))", "1", id="before init"),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(0); n.nvmlShutdown(); print(code(n.nvmlDeviceGetUUID, h))",
            "1",
            id="after shutdown",
        ),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(0)\n"
            "print(code(n.nvmlDeviceGetMemoryInfo, h, 2), code(n.nvmlDeviceGetMemoryInfo, h, n.nvmlMemory_v2))",
            "25 0",
            id="a struct's version is checked",
        ),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(0)\n"
            "print([code(n.nvmlDeviceGetGpuInstanceProfileInfo, h, number) for number in (5, 40)])",
            "[3, 2]",
            id="two codes for no such profile",
        ),
        pytest.param(
            "n.nvmlInit(); s = n.nvmlEventSetCreate(); print(code(n.nvmlEventSetWait, s, 0))", "10", id="no event"
        ),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(0)\n"
            "print(code(n.nvmlDeviceGetMigDeviceHandleByIndex, h, 0), n.nvmlDeviceGetMaxMigDeviceCount(h))",
            "6 7",
            id="a hole in the walk",
        ),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(0)\n"
            "print(code(n.nvmlDeviceGetUtilizationRates, h), code(n.nvmlDeviceGetAttributes, h))",
            "3 3",
            id="not with MIG, not on a whole GPU",
        ),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(0)\n"
            "p = ctypes.byref(n.c_nvmlGpuInstancePlacement_t(0, 4))\n"
            "gi = n.nvmlDeviceCreateGpuInstanceWithPlacement(h, 9, p)\n"
            "print(n.nvmlGpuInstanceGetInfo(gi).id, code(n.nvmlDeviceCreateGpuInstanceWithPlacement, h, 9, p))\n"
            "ci = n.nvmlGpuInstanceCreateComputeInstance(gi, 2)\n"
            "print(code(n.nvmlGpuInstanceDestroy, gi)); n.nvmlComputeInstanceDestroy(ci)\n"
            "print(code(n.nvmlGpuInstanceDestroy, gi), code(n.nvmlGpuInstanceGetInfo, gi))",
            "1 23\n19\n0 6",
            id="an instance's life",
        ),
        pytest.param(
            "n.nvmlInit(); h = n.nvmlDeviceGetHandleByIndex(2); print(n.nvmlDeviceGetMinorNumber(h), "
            "n.nvmlDeviceGetPciInfo(h).busId, n.nvmlDeviceGetPciInfo(h).busIdLegacy)",
            "0 00000000:47:00.0 0000:47:00.0",
            id="addresses",
        ),
    ],
)
def test_the_fake_is_as_strict(fake: Fake, script: str, said: str) -> None:
    environment = {**os.environ, "FAKE_NVML": str(fake.library), "FAKE_NVML_STATE": str(fake.state)}
    command = [sys.executable, "-c", BEGIN + script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == said
