"""What is wrong with a host, from one survey: a line each, with what to do."""

from collections.abc import Iterator

from aliquot.devices.gpu import Gpu, Recovery
from aliquot.devices.survey import Survey, Trouble, Xid
from aliquot.devices.xids import words_of


def findings(survey: Survey) -> tuple[Trouble, ...]:
    """Everything that's wrong: of the host first, then by GPU, then what its XIDs tell."""
    return (*survey.troubles, *_driver(survey), *_gpus(survey), *_xids(survey))


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


def _xids(survey: Survey) -> Iterator[Trouble]:
    """The XIDs, those alike together."""
    counts: dict[Xid, int] = {}
    for xid in survey.xids:
        counts[xid] = counts.get(xid, 0) + 1
    for xid, count in counts.items():
        gpu = survey.gpu(xid.gpu) if xid.gpu is not None else None
        where = name_of(gpu) if gpu is not None else xid.gpu
        instance = f" on instance {xid.gi}" if xid.gi is not None else ""
        words = words_of(xid.number)
        times = f", {count} times" if count > 1 else ""
        yield Trouble(message=f"XID {xid.number}{instance}{times}{f': {words}' if words else ''}", gpu=where)
