"""What NVML's return codes mean for a host: no driver, a lost GPU, or a refusal; in words with what to do."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from aliquot.devices.hosts.nvml.process import NvmlCodeError
from aliquot.devices.hosts.protocol import DriverMissing, GpuLost, HostFault, Refused, Why
from aliquot.devices.survey import Trouble

NOT_LOADED, NO_LIBRARY, MISMATCH = 9, 12, 18
ABSENT: Final = frozenset({NOT_LOADED, NO_LIBRARY, MISMATCH})
"""There's no driver, or half of one, or two halves that don't match."""

DRIVER: Final[Mapping[int, tuple[str, str]]] = MappingProxyType(
    {
        12: (
            "there is no NVIDIA driver: libnvidia-ml.so.1 wasn't found",
            "install the driver; in a container, ask for the capability `utility` or mount the driver's libraries",
        ),
        9: (
            "the NVIDIA driver's library is there, but its kernel module isn't loaded or /dev/nvidiactl is missing",
            "modprobe nvidia; look for nouveau, or secure boot refusing the module (dmesg)",
        ),
        18: (
            "the NVIDIA driver's library and its kernel module have different versions",
            "after an upgrade: reload the module or reboot; in a container, start it anew",
        ),
        4: (
            "the NVIDIA driver's devices may not be opened (/dev/nvidiactl)",
            "run as root, or look at their permissions",
        ),
        999: (
            "the NVIDIA driver fails without saying why",
            "in a container that worked before, its device rules were lost (systemctl daemon-reload): start it anew",
        ),
    }
)
"""What it means when the library can't be opened, and what to do (NVML's header, and NVIDIA's issue trackers)."""

_WHY: Final[Mapping[int, Why]] = MappingProxyType(
    {
        2: Why.BAD_PLACEMENT,
        3: Why.NOT_SUPPORTED,
        4: Why.NO_PERMISSION,
        6: Why.NOT_FOUND,
        16: Why.NEEDS_RESET,
        19: Why.IN_USE,
        23: Why.NO_ROOM,
    }
)
_LOST: Final = {15: "the GPU is lost", 16: "the GPU must be reset before it answers"}


def no_driver(error: NvmlCodeError, module: str | None = None, gpus: int | None = None) -> Trouble:
    """What to say where the library can't be opened.

    Args:
        error: what its start answered.
        module: the version of the kernel module that is loaded.
        gpus: how many of NVIDIA's GPUs the PCI bus shows; None where the bus can't be seen.
    """
    message, hint = DRIVER.get(error.code, (f"the NVIDIA driver can't be asked: {error.text}", ""))
    if error.code == NO_LIBRARY and module is not None:
        message = f"half a driver: kernel module {module} is loaded, its library libnvidia-ml.so.1 wasn't found"
        hint = f"install the libraries of {module}; in a container, ask for the capability `utility` or mount them"
    elif error.code == NO_LIBRARY and gpus == 0:
        message, hint = f"{message}; nor is any NVIDIA GPU on the PCI bus", "--host preset:NAME simulates some"
    elif error.code == NOT_LOADED and module is not None:
        message = f"kernel module {module} is loaded, but its device nodes are missing: /dev/nvidiactl"
        hint = "nvidia-modprobe makes them; in a container, ask for the GPUs"
    elif module is not None:
        message = f"{message} (kernel module {module})"
    return Trouble(message=message, hint=hint)


def fault_of(error: NvmlCodeError, gpu: str | None) -> HostFault | None:
    """The fault that a code means for a GPU that was found before; None where it's a refusal."""
    if error.code in _LOST:
        hint = "79 in its XIDs: it fell off the bus, reboot the machine; else reset it, and look at the kernel's log"
        return GpuLost(_LOST[error.code], gpu=gpu, hint=hint, code=error.code)
    if error.code in {1, 9, 12, 18}:
        trouble = no_driver(error)
        return DriverMissing(trouble.message, gpu=gpu, hint=trouble.hint, code=error.code)
    if error.code in _WHY:
        return None
    return HostFault(f"the driver answered: {error.text}", gpu=gpu, code=error.code)


def refusal_of(error: NvmlCodeError, doing: str) -> Refused:
    """The refusal that a code means."""
    return Refused(why=_WHY.get(error.code, Why.OTHER), message=f"{doing}: {error.text}", code=error.code)
