"""How a GPU is to be shared among its replicas: as data that can be kept on disk."""

from collections.abc import Iterable, Mapping

import msgspec

from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.node.device_plugin.offering.resource import Resource
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, TimeSlicing
from aliquot.sharing.mps import mps_share
from aliquot.sharing.setup.plan import MPS_ROOT, Request
from aliquot.sharing.setup.steps import Daemon, SetComputeMode, SetTimeSlice, Step, StopMps, Target
from aliquot.sharing.strategies import Strategy


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """How one GPU is shared: by MPS where there's a percentage, else by time-slicing."""

    replicas: int
    interval: TimeSlice = TimeSlice.DEFAULT
    percent: int | None = None
    memory_mi_b: int | None = msgspec.field(default=None, name="memoryMiB")
    """Of one MPS client; None: no limit, since the GPU's memory isn't known."""

    @property
    def mps(self) -> bool:
        """Whether it's by MPS."""
        return self.percent is not None

    def request(self, gpu: str) -> Request:
        """What `sharing.setup` is asked for."""
        if self.mps:
            sharing = Mps(percent=self.percent, memory_mib=self.memory_mi_b)
            return Request(
                name=name_of_daemon(gpu),
                targets=(Target(gpu),),
                config=ClaimConfig(for_mig=False, sharing=sharing),
                clients=self.replicas,
            )
        turns = TimeSlicing(self.interval)
        config = ClaimConfig(for_mig=False, sharing=turns)
        return Request(name=name_of_daemon(gpu), targets=(Target(gpu),), config=config)


def wanted(resources: Iterable[Resource], gpus: Mapping[str, Gpu], interval: TimeSlice) -> Mapping[str, Wanted]:
    """By the UUID of each whole GPU that's shared; MIG devices have nothing to set."""
    found: dict[str, Wanted] = {}
    for resource in resources:
        for unit in resource.units:
            if unit.replicas is None or unit.uuid not in gpus or gpus[unit.uuid].mig_enabled:
                continue
            if resource.way is Strategy.MPS:
                found[unit.uuid] = _mps(unit.replicas, gpus[unit.uuid])
            else:
                found[unit.uuid] = Wanted(unit.replicas, interval)
    return found


def _mps(replicas: int, gpu: Gpu) -> Wanted:
    share = mps_share(gpu.memory.total >> 20 if gpu.memory is not None else 0, replicas)
    memory = share.memory_mib if gpu.memory is not None else None
    return Wanted(replicas, percent=share.active_thread_percent, memory_mi_b=memory)


def name_of_daemon(gpu: str) -> str:
    """What the MPS daemon of a GPU is called, whatever its limits are."""
    return f"plugin-{gpu}"


def daemon_of(gpu: str, root: str = MPS_ROOT) -> Daemon:
    """The MPS daemon of a GPU: enough of it to stop it, or to lead clients to it."""
    folder = f"{root.rstrip('/')}/{name_of_daemon(gpu)}"
    return Daemon(name=name_of_daemon(gpu), targets=(Target(gpu),), pipe=f"{folder}/pipe", log=f"{folder}/log")


def undoing(gpu: str, before: Wanted | None, root: str) -> tuple[Step, ...]:
    """The steps that end a sharing; where none is known of, a daemon may be there all the same."""
    stop = StopMps(daemon_of(gpu, root))
    if before is None:
        return (stop,)
    if not before.mps:
        return (SetTimeSlice(gpu, TimeSlice.DEFAULT, before.interval),)
    return stop, SetComputeMode(gpu, ComputeMode.DEFAULT, ComputeMode.EXCLUSIVE_PROCESS)
