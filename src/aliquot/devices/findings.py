"""What is wrong with a host, from one survey: a line each, with what to do."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from aliquot.devices.gpu import Gpu, Recovery
from aliquot.devices.survey import Survey, Trouble, Xid, gathered
from aliquot.devices.xids import Action, action_of, words_of

TO_DO: Final[Mapping[Action, str]] = MappingProxyType(
    {
        Action.IGNORE: "nothing to do",
        Action.APPLICATION: "only the program is hit: start it anew",
        Action.DEGRADE: "the GPU goes on working: look at it",
        Action.DRAIN: "drain it first: until then nothing new may run on it",
    }
)
"""What an XID asks for, where not the driver says it; what its words name comes before anything new runs."""
UNKNOWN_XID: Final = "not in this program's table"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedXid:
    """XIDs that are alike, as one."""

    xid: Xid
    where: str
    """The GPU."""
    words: str
    """What it means."""
    to_do: str


def judged_xids(survey: Survey) -> tuple[JudgedXid, ...]:
    """The XIDs, those alike together; the one that came last is last."""
    return tuple(_judged(survey, xid) for xid in gathered(survey.xids))


def _judged(survey: Survey, xid: Xid) -> JudgedXid:
    where = survey.where(xid.gpu) if xid.gpu is not None else "a GPU that the driver didn't name"
    words = words_of(xid.number)
    to_do = _to_do(survey, xid) if words else "look it up in NVIDIA's Xid catalogue"
    return JudgedXid(xid=xid, where=where, words=words or UNKNOWN_XID, to_do=to_do)


def _to_do(survey: Survey, xid: Xid) -> str:
    action = action_of(xid.number)
    if action is not Action.RECOVERY:
        return TO_DO[action]
    recovery = next((gpu.recovery for gpu in survey.gpus if gpu.uuid == xid.gpu), None)
    if recovery is None:
        return "what the driver wants isn't known: see the kernel's log"
    return "the driver wants nothing now" if recovery is Recovery.NONE else f"the driver wants: {recovery.value}"


def findings(survey: Survey) -> tuple[Trouble, ...]:
    """Everything that's wrong: of the host first, then by GPU; what its XIDs tell comes last."""
    order = {name_of(gpu): gpu.index for gpu in survey.gpus}
    order |= {each.trouble.gpu or "": len(order) if each.index is None else each.index for each in survey.unreadable}
    found = (*survey.troubles, *_driver(survey), *_gpus(survey), *xid_findings(survey))
    return tuple(sorted(found, key=lambda each: -1 if each.gpu is None else order.get(each.gpu, len(order))))


def name_of(gpu: Gpu) -> str:
    """`gpu 3 (0000:65:00.0)`."""
    return f"gpu {gpu.index} ({gpu.pci})"


def _driver(survey: Survey) -> Iterator[Trouble]:
    driver = survey.driver
    if driver is not None and driver.module is not None and driver.module != driver.version:
        message = f"the driver's library is {driver.version}, its kernel module {driver.module}"
        yield Trouble(message=message, hint="reload the module or reboot; in a container, start it anew")


def _gpus(survey: Survey) -> Iterator[Trouble]:
    for each in survey.unreadable:
        yield each.trouble
    for gpu in survey.gpus:
        for message, hint in (*_state(gpu), *_health(gpu)):
            yield Trouble(message=message, hint=hint, gpu=name_of(gpu))


def _state(gpu: Gpu) -> Iterator[tuple[str, str]]:
    if gpu.mig is not None and gpu.mig.current != gpu.mig.pending:
        wanted = "on" if gpu.mig.pending else "off"
        yield f"MIG {wanted} is pending", "reset the GPU when nobody holds it, or reboot"
    for instance in gpu.instances:
        if not instance.compute:
            yield f"instance {instance.id} ({instance.profile}) has no compute instance", "a leftover: destroy it"
    if gpu.mig_enabled and not gpu.instances:
        yield "MIG is on and there is no instance: nothing can run on it", "create some, or switch MIG off"
    if gpu.ecc is not None and gpu.ecc_pending is not None and gpu.ecc != gpu.ecc_pending:
        yield f"ECC {'on' if gpu.ecc_pending else 'off'} is pending", "reset the GPU, or reboot"
    down = [link.number for link in gpu.links if not link.active]
    if 0 < len(down) < len(gpu.links):  # all down: nothing is plugged in
        yield f"NVLink {', '.join(map(str, down))} of {len(gpu.links)} down", "see nvidia-smi nvlink -e, and dmesg"
    for failed in gpu.partial:
        yield failed, ""


def _health(gpu: Gpu) -> Iterator[tuple[str, str]]:
    if gpu.recovery is not None and gpu.recovery is not Recovery.NONE:
        yield f"the driver wants: {gpu.recovery.value}", ""
    if gpu.rows_failed:
        yield "a memory row couldn't be remapped", "run the field diagnosis: the part may have to be replaced"
    if gpu.rows_pending:
        yield "a memory row waits to be remapped", "reset the GPU when convenient"
    if gpu.uncorrected_errors:
        yield f"{gpu.uncorrected_errors} uncorrected memory errors since the driver was loaded", "reset the GPU"
    if gpu.throttled:
        yield f"clocks are held back: {', '.join(gpu.throttled)}", "look at cooling and power"


def xid_findings(survey: Survey) -> Iterator[Trouble]:
    """What XIDs tell of; those that tell of nothing wrong are only listed."""
    for each in judged_xids(survey):
        if action_of(each.xid.number) is Action.IGNORE:
            continue
        instance = f" on instance {each.xid.gi}" if each.xid.gi is not None else ""
        times = f", {each.xid.count} times" if each.xid.count > 1 else ""
        message = f"XID {each.xid.number}{instance}{times}{f': {each.words}' if each.words else ''}"
        yield Trouble(message=message, hint=each.to_do, gpu=each.where)
