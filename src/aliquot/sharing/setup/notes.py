"""What a person should know of a plan beside its steps: what each needs, how long it lasts, and what it leaves.

Sources: NVML's header; NVIDIA's MIG guide (modes and resets) and MPS guide (users of one server).
"""

from collections.abc import Iterator, Mapping, Sequence

from aliquot.devices.gpu import ComputeMode, Gpu, Recovery
from aliquot.sharing.claim_configs.values import Mps, Sharing, TimeSlicing
from aliquot.sharing.driver_gates import gates_of, gates_words
from aliquot.sharing.setup.in_the_way import RESET_FOR_MIG, named, of_mps, programs
from aliquot.sharing.setup.steps import CreateInstance, SetComputeMode, SetMigMode, SetTimeSlice, StartMps, Step, Target


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
    if targets and targets[0].place is not None and isinstance(sharing, TimeSlicing):
        yield "time-slicing needs no set-up on a MIG instance: its programs take turns anyway"
    if isinstance(sharing, Mps) and not sharing.multi_user:
        yield "MPS serves the programs of one user at a time: another's wait (multiUser: true serves several)"
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
    touched = any(isinstance(step, SetComputeMode) and step.gpu == gpu.uuid for step in steps)
    if target.place is None and gpu.compute_mode is ComputeMode.EXCLUSIVE_PROCESS and not touched:
        if isinstance(sharing, Mps):
            yield "its compute mode is exclusive-process already, and stays so after the undo"
        else:
            yield "its compute mode is exclusive-process: one process can use it, to others it's busy or unavailable"


def _of_step(step: Step, gpus: Mapping[str, Gpu]) -> Iterator[str]:
    match step:
        case SetMigMode(gpu):
            yield f"{gpu}: {_mig_mode(gpus[gpu])}"
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


def _mig_mode(gpu: Gpu) -> str:
    if gpu.architecture is None:
        return "whether switching MIG on resets the GPU isn't known: it does on Ampere, and doesn't on Hopper and newer"
    if gpu.architecture not in RESET_FOR_MIG:
        return "switching MIG on needs no reset; it's off again after a driver reload or a reboot"
    return (
        "switching MIG on resets the GPU, so nobody may hold it open; who does so without a program on it "
        "(nvidia-persistenced, DCGM, dcgm-exporter) isn't seen here. Where it can't be reset, the mode is pending "
        f"until nvidia-smi --gpu-reset -i {gpu.uuid}, or a reboot. The GPU keeps the mode over reboots"
    )
