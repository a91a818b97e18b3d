"""Whether a GPU may be divided on demand, by the rules of NVIDIA's driver (its gate DynamicMIG).

Only what can be prepared is offered. From Hopper on, MIG is switched on and off without a reset, so the whole GPU and
its places are on offer, whatever the mode is now. Before, switching it takes a reset, which whoever holds the GPU open
forbids: with MIG on there are places and no whole GPU, with MIG off there is the whole GPU and there are no places.

Other than NVIDIA's driver, which destroys instances that it finds at its start, they stay and are devices themselves.
"""

from dataclasses import dataclass

from aliquot.devices.gpu import Gpu
from aliquot.devices.mig import Geometry
from aliquot.sharing.publish.options import Options

GATE = "DRAPartitionableDevices"
OFF = (
    "published without MIG devices, since MIG is off and switching it on takes a reset before Hopper; "
    "`nvidia-smi -mig 1 -i GPU`, while nothing uses it, puts them on offer"
)
ON = "not published as a whole, since MIG is on and switching it off takes a reset before Hopper"
BUSY = "MIG instances can be made on it only once these have ended, whoever holds it: {}"
PENDING_OFF = "MIG will be off after its next reset, and what is on offer of it goes then"
VIRTUAL = "published without MIG devices: a virtual GPU is divided by its host"


@dataclass(frozen=True, slots=True)
class Undivided:
    """There's nothing to divide: why, where that is worth telling."""

    note: str = ""
    """What it would take; nothing is wrong."""
    left_out: str = ""
    """What keeps it from being divided, although it was asked for."""


def division_of(gpu: Gpu, geometry: Geometry | None, options: Options) -> Geometry | Undivided:
    """How a GPU may be divided on demand."""
    if gpu.mig is None or options.mig == "static" or (options.shares is not None and not gpu.mig_enabled):
        return Undivided()
    if geometry is None and not gpu.mig_enabled and gpu.model is not None and not gpu.model.mig_capable:
        return Undivided()  # a library that tells a mode of parts that have none
    if gpu.virtual:
        return Undivided(note=VIRTUAL)
    if geometry is None or not geometry.known:
        return Undivided(left_out="where its MIG instances may lie isn't known")
    if any(each.start is None for each in gpu.instances):
        return Undivided(left_out="where its instances lie isn't known: the agent needs more rights")
    unknown = [each.profile for each in gpu.instances if geometry.profile(each.profile) is None]
    if unknown:
        return Undivided(left_out=f"what {', '.join(unknown)} takes of it isn't known")
    if not options.kubernetes.on(GATE):
        return Undivided(left_out=f"the feature gate {GATE} is off in Kubernetes {options.kubernetes}")
    return Undivided(note=OFF) if gpu.mig_needs_reset and not gpu.mig_enabled else geometry
