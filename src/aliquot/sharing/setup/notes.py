"""What a person should know of a plan beside its steps: what each needs, how long it lasts, and what it leaves.

Sources: NVML's header; NVIDIA's MIG guide (modes, resets, peers) and MPS guide (users of one server, what came with
Volta).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from aliquot.devices.gpu import ComputeMode, Gpu, Recovery
from aliquot.sharing.claim_configs.driver_gates import NO_MULTI_USER, gates_of, gates_words
from aliquot.sharing.claim_configs.values import Mps, Sharing, TimeSlicing
from aliquot.sharing.legal import VOLTA
from aliquot.sharing.mps import capability
from aliquot.sharing.setup.in_the_way import named, of_mps, programs
from aliquot.sharing.setup.steps import CreateInstance, SetComputeMode, SetMigMode, SetTimeSlice, StartMps, Step, Target

MIG_OFF: Final = "switching MIG off needs no reset"
"""Such a step is planned only where that is so: from Hopper on."""


def notes(
    targets: Sequence[Target], sharing: Sharing | None, gpus: Mapping[str, Gpu], steps: Sequence[Step]
) -> Iterator[str]:
    """Every note on a plan: of the devices as they stand, then of the steps, then of NVIDIA's own driver."""
    for target in targets:
        for words in _stands(gpus[target.gpu], target, sharing, steps):
            yield f"{target}: {words}"
    for step in steps:
        yield from _of_step(step, gpus)
    if any(isinstance(step, CreateInstance) for step in steps):
        yield "MIG instances last until the GPU is reset, the driver is reloaded or the machine is rebooted"
    yield from _lasting(steps)
    on_mig = bool(targets) and targets[0].place is not None
    if on_mig and len(targets) > 1:
        yield "MIG instances have no peer-to-peer traffic with each other, neither by NVLink nor by PCIe"
    if on_mig and isinstance(sharing, TimeSlicing):
        yield "time-slicing needs no set-up on a MIG instance: its programs take turns anyway"
    if isinstance(sharing, Mps) and not sharing.multi_user:
        yield (
            "MPS serves the programs of one user at a time: another's wait (multiUser: true serves several; "
            f"{NO_MULTI_USER})"
        )
    if isinstance(sharing, Mps) and sharing.multi_user:
        yield NO_MULTI_USER
    needed = gates_of(sharing, creates=any(isinstance(step, CreateInstance) for step in steps))
    if needed:
        yield gates_words(needed)


def _stands(gpu: Gpu, target: Target, sharing: Sharing | None, steps: Sequence[Step]) -> Iterator[str]:
    """What is there already."""
    if gpu.recovery is not None and gpu.recovery is not Recovery.NONE:
        yield f"the driver wants: {gpu.recovery.value}"
    yield from (failed for failed in gpu.partial if "processes" in failed)
    running = programs(gpu, target)
    if isinstance(sharing, Mps) and (clients := [each for each in running if of_mps(each)]):
        yield f"MPS has it; if not by this claim's daemon, they must end first: {named(clients)}"
    elif running:
        yield f"in use already, by {named(running)}"
    if target.place is not None and gpu.mig is not None and gpu.mig.current and not gpu.mig.pending:
        yield "MIG will be off after the next reset of the GPU"
    if isinstance(sharing, Mps) and sharing.percent is not None and _before_volta(gpu):
        yield "its MPS has no limit on multiprocessors, which came with Volta: the percentage has no effect"
    touched = any(isinstance(step, SetComputeMode) and step.gpu == gpu.uuid for step in steps)
    if target.place is None and gpu.compute_mode is ComputeMode.EXCLUSIVE_PROCESS and not touched:
        if isinstance(sharing, Mps):
            yield "its compute mode is exclusive-process already, and stays so after the undo"
        else:
            yield "its compute mode is exclusive-process: one process can use it, to others it's busy or unavailable"


def _before_volta(gpu: Gpu) -> bool:
    return gpu.compute_capability is not None and capability(gpu.compute_capability) < VOLTA


def _of_step(step: Step, gpus: Mapping[str, Gpu]) -> Iterator[str]:
    match step:
        case SetMigMode(gpu, enabled):
            yield f"{gpu}: {_mig_on(gpus[gpu]) if enabled else MIG_OFF}"
            mode = gpus[gpu].mig
            if enabled and mode is not None and mode.pending:
                yield f"{gpu}: MIG on is pending there already; after the undo it's off, and no more pending"
            if enabled and gpus[gpu].links:
                yield f"{gpu}: while MIG is on, it has no peer-to-peer traffic with other GPUs, NVLinks or not"
        case SetComputeMode(gpu):
            if gpus[gpu].compute_mode is None:
                yield f"{gpu}: its compute mode now isn't known: the undo sets default"
            if gpus[gpu].persistence is False:
                yield f"{gpu}: persistence mode is off: when no program holds the GPU, its compute mode may be lost"
        case SetTimeSlice(gpu):
            if gpus[gpu].time_slice is None:
                yield f"{gpu}: its time-slice now isn't known, NVML doesn't tell it: the undo sets the driver's default"
        case StartMps():
            yield "the container gets the host's /dev/shm, which the MPS daemon and its clients must have in common"
        case _:
            pass


def _lasting(steps: Sequence[Step]) -> Iterator[str]:
    mode = any(isinstance(step, SetComputeMode) for step in steps)
    turns = any(isinstance(step, SetTimeSlice) for step in steps)
    if mode or turns:
        what = (
            "compute mode and time-slice last"
            if mode and turns
            else f"the {'compute mode' if mode else 'time-slice'} lasts"
        )
        yield f"{what} until the driver is reloaded or the machine is rebooted"


def _mig_on(gpu: Gpu) -> str:
    resets = gpu.mig_switch_resets
    if resets is None:
        return "whether switching MIG on resets the GPU isn't known: it does on Ampere, and doesn't on Hopper and newer"
    if not resets:
        return "switching MIG on needs no reset; it's off again after a driver reload or a reboot"
    return (
        "switching MIG on resets the GPU, so nobody may hold it open; who does so without a program on it "
        "(nvidia-persistenced, DCGM, dcgm-exporter) isn't seen here. Where it can't be reset, the mode is pending "
        f"until nvidia-smi --gpu-reset -i {gpu.uuid}, or a reboot. The GPU keeps the mode over reboots"
    )
