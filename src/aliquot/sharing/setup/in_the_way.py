"""Programs that use a device already: who they are, and whether they must end before it can be set up.

Sources: NVML's header and NVIDIA's MIG and MPS guides. Switching MIG on resets an Ampere GPU, which works only while
nobody holds it; newer GPUs switch, and refuse their first instance while a program is on the GPU. In exclusive-process
mode the MPS server gets no context beside another program's.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from aliquot.devices.gpu import Gpu, Process
from aliquot.sharing.claim_configs.values import Mps, Sharing, TimeSlicing
from aliquot.sharing.setup.steps import Target

MPS_SERVER: Final = "nvidia-cuda-mps-server"


def programs(gpu: Gpu, target: Target) -> tuple[Process, ...]:
    """The programs on a device, one for each pid: of a whole GPU all, of a MIG instance those on it."""
    ids = {each.id for each in gpu.instances if target.place is not None and each.placement == target.place}
    known = (each for each in gpu.processes if target.place is None or each.gi in ids)
    return tuple({each.pid: each for each in known}.values())


def of_mps(process: Process) -> bool:
    """Whether it's a client of an MPS daemon, or that daemon's server."""
    return process.kind == "mps" or (process.name or "").rpartition("/")[2] == MPS_SERVER


def named(running: Iterable[Process]) -> str:
    """Programs in words."""
    return ", ".join(map(str, running))


def must_end(gpu: Gpu, target: Target, sharing: Sharing | None) -> Iterator[str]:
    """Which programs must end before a device can be set up, and why."""
    if target.place is not None:
        yield from before_instances(gpu)
        return
    running = programs(gpu, target)
    clients = [each for each in running if of_mps(each)]
    if isinstance(sharing, TimeSlicing) and clients:
        yield f"MPS has the GPU, and these must end first: {named(clients)}"
    others = [each for each in running if each.kind == "compute" and not of_mps(each)]
    if isinstance(sharing, Mps) and others:
        yield (
            "the MPS server gets no context in compute mode exclusive-process beside programs that aren't its clients, "
            f"which must end first: {named(others)}"
        )


def before_instances(gpu: Gpu) -> Iterator[str]:
    """On a GPU without instances everybody is in the way of the first, graphics too."""
    if gpu.instances:
        return
    running = gpu.programs
    if not running:
        return
    resets = gpu.mig_switch_resets
    if gpu.mig_enabled or resets is False:
        yield f"the first MIG instance needs a GPU that no program uses, and these must end first: {named(running)}"
    elif resets is None:
        yield f"MIG needs a GPU that no program uses, and these must end first: {named(running)}"
    else:
        yield (
            f"switching MIG on resets the GPU, and these programs must end first: {named(running)}; with them the mode "
            "would only be pending, and no instance could be made"
        )
