"""The GPU driver, its nodes, and what is wrong with the GPUs."""

from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.devices.findings import findings, name_of
from aliquot.devices.survey import Survey
from aliquot.node.doctor.found import Found
from aliquot.node.doctor.value import Check, Status
from aliquot.node.neighbours.components import Component
from aliquot.node.neighbours.judge import Verdict

_AMPERE: Final = "Ampere"
_SHOWN: Final = 5


def driver_checks(survey: Survey, found: Found, verdict: Verdict) -> Iterator[Check]:
    """Of driver and GPUs."""
    yield _driver(survey, found)
    yield _gpus(survey)
    yield from _nodes(survey, found)
    yield from _activity(survey, verdict)


def _driver(survey: Survey, found: Found) -> Check:
    name, driver = "GPU driver", survey.driver
    if driver is None:
        loaded = f"; its kernel module {found.machine.module} is loaded" if found.machine.module else ""
        told = "; ".join(map(str, survey.troubles)) or f"{survey.host} has none"
        fix = tuple(each.hint for each in survey.troubles if each.hint)
        return Check(name, Status.FAIL, f"{told}{loaded}", "without it no GPU can be given to a container", fix)
    module = driver.module or (found.machine.module if survey.host == "nvml" else None)
    if module is not None and module != driver.version:
        why = "after an update the module of before stays loaded: programs fail with a driver/library mismatch"
        fix = ("reload the module or reboot; in a container, start it anew",)
        return Check(name, Status.FAIL, f"the library is {driver.version}, the kernel module {module}", why, fix)
    cuda = f", CUDA up to {driver.cuda}" if driver.cuda else ""
    library = f", {found.machine.library}" if found.machine.library and survey.host == "nvml" else ""
    return Check(name, Status.OK, f"{driver.version}{cuda}{library}")


def _gpus(survey: Survey) -> Check:
    name, wrong = "GPUs", [] if survey.driver is None else list(findings(survey))
    count = len(survey.gpus)
    told = "none" if not count else "1 GPU" if count == 1 else f"{count} GPUs"
    if wrong:
        shown = "; ".join(map(str, wrong[:_SHOWN]))
        rest = f"; and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        fix = ("aliquot node inspect   # all of it, with what to do",)
        return Check(name, Status.WARN, f"{told}: {shown}{rest}", "some of them can't be used, or not for long", fix)
    if not count:
        return Check(
            name, Status.WARN, told, "the agent has nothing to offer", ("lspci -d 10de:   # is one plugged in?",)
        )
    return Check(name, Status.OK, told)


def _nodes(survey: Survey, found: Found) -> Iterator[Check]:
    """/dev/nvidia0 and so on, on the machine that is looked at; a simulated one has none."""
    machine = found.machine
    if survey.host != "nvml" or survey.driver is None or machine.dxg:
        return
    missing = [f"/dev/nvidia{gpu.minor}" for gpu in survey.gpus if f"nvidia{gpu.minor}" not in machine.gpu_nodes]
    if not machine.control_node:
        missing.append("/dev/nvidiactl")
    if not machine.uvm_node:
        missing.append("/dev/nvidia-uvm")
    if missing:
        why = "a CDI spec that is made now lacks them, and CUDA doesn't start without"
        fix = ("nvidia-modprobe -u -c 0   # makes them; nvidia-persistenced keeps them", "aliquot cdi generate")
        yield Check("device nodes", Status.FAIL, f"{_listed(missing)} not there", why, fix)
    else:
        yield Check("device nodes", Status.OK, "each GPU's, /dev/nvidiactl and /dev/nvidia-uvm are there")


def _activity(survey: Survey, verdict: Verdict) -> Iterator[Check]:
    """NVML measures a MIG instance's activity from Hopper on."""
    found = [name_of(gpu) for gpu in survey.gpus if gpu.mig_enabled and gpu.architecture == _AMPERE]
    if not found:
        return
    name = "activity of MIG instances"
    told = f"not measured by the driver on {_listed(found)}: it can from Hopper on"
    if verdict.has(Component.DCGM_EXPORTER):
        yield Check(name, Status.OK, f"{told}; dcgm-exporter, which measures it otherwise, is here")
        return
    why = "DCGM_FI_PROF_GR_ENGINE_ACTIVE of these instances is absent from aliquot's metrics, never 0"
    fix = ("run dcgm-exporter on this node for it; aliquot's own names stay beside it",)
    yield Check(name, Status.WARN, told, why, fix)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
