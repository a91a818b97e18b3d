"""Linux, WSL, the C library, NVIDIA's container runtime, IMEX."""

from collections.abc import Iterator
from typing import Final

from aliquot.node.doctor.found import Found
from aliquot.node.doctor.value import Check, Status
from aliquot.node.neighbours.components import Component
from aliquot.node.neighbours.judge import Verdict

_LEGACY: Final = "legacy"


def machine_checks(found: Found, verdict: Verdict) -> Iterator[Check]:
    """Of the machine itself."""
    yield _system(found)
    yield _c_library(found)
    yield _capabilities_variable(found)
    yield from _imex(found, verdict)


def _system(found: Found) -> Check:
    machine, name = found.machine, "operating system"
    if machine.system is None:
        why = f"{found.root} has no proc/sys/kernel/ostype: what isn't Linux has no GPU devices for containers"
        return Check(name, Status.UNKNOWN, "it can't be told", why)
    if machine.system != "Linux":
        why = "containers get GPUs on Linux only; on Windows and macOS the node is a virtual machine: look in there"
        return Check(name, Status.FAIL, machine.system, why, ("run the agent on the Linux node",))
    kernel = f"Linux {machine.release}" if machine.release else "Linux"
    if not machine.dxg:
        return Check(name, Status.OK, kernel)
    why = (
        "below WSL there are no /dev/nvidia0 and so on: all GPUs of Windows are one device, without MIG, MPS and "
        "health events"
    )
    fix = ("offer it as one device; aliquot cdi generate writes its CDI spec",)
    return Check(name, Status.WARN, f"{kernel}, in WSL (/dev/dxg)", why, fix)


def _c_library(found: Found) -> Check:
    """NVML is loaded into this process: it has to have the C library that NVML was built for."""
    name, needs = "C library", found.machine.library_needs
    own = found.process.libc
    host = f"; the machine's is {_dotted(found.machine.host_libc)}" if found.machine.host_libc else ""
    told = f"this program has {own or 'none of GNU'}{host}"
    if own is None:
        why = "NVIDIA's libraries are built for GNU's C library: with another one (musl, in Alpine) none can be loaded"
        return Check(name, Status.FAIL, told, why, ("use an image that is built on glibc",))
    if needs is None:
        why = "NVML wasn't found, so which glibc it needs isn't known" if found.machine.library is None else ""
        return Check(name, Status.UNKNOWN if why else Status.OK, told, why)
    if tuple(map(int, own.removeprefix("glibc ").split(".")[:2])) < needs:
        why = f"{found.machine.library} needs glibc {_dotted(needs)}: it can't be loaded into this program"
        return Check(
            name, Status.FAIL, told, why, ("use an image with a glibc that is at least as new as the driver's",)
        )
    return Check(name, Status.OK, f"{told}; {found.machine.library} needs {_dotted(needs)}")


def _dotted(version: tuple[int, int] | None) -> str:
    return ".".join(map(str, version or ()))


def _capabilities_variable(found: Found) -> Check:
    """Which parts of the driver a container gets is its own to say only with one way of injection."""
    name, mode = "NVIDIA_DRIVER_CAPABILITIES", found.machine.nvidia_runtime_mode
    cdi = "with CDI a container gets what the spec has, whatever it says in that variable"
    if mode is None:
        return Check(
            name, Status.OK, f"it narrows nothing: NVIDIA's container runtime isn't configured here, and {cdi}"
        )
    if mode == _LEGACY:
        narrowed = "it narrows what containers get by the device plugin's envvar strategy"
        return Check(name, Status.OK, f"{narrowed} (nvidia-container-runtime's mode is legacy); {cdi}")
    return Check(name, Status.OK, f"nvidia-container-runtime's mode is {mode}; {cdi}")


def _imex(found: Found, verdict: Verdict) -> Iterator[Check]:
    """Memory over several nodes: seen, and left to NVIDIA's driver."""
    name, channels = "IMEX", found.machine.imex_channels
    if verdict.has(Component.DOMAINS):
        yield Check(name, Status.OK, "claims for compute-domain.nvidia.com are left to NVIDIA's driver, which is here")
    elif channels is not None:
        made = "1 channel" if channels == 1 else f"{channels} channels"
        why = "claims for compute-domain.nvidia.com are left to NVIDIA's driver, which can't be seen here"
        fix = ("where pods ask for compute domains: NVIDIA's driver with resources.gpus.enabled=false, beside aliquot",)
        yield Check(name, Status.OK, f"the kernel module has it, with {made}; {why}", "", fix)
