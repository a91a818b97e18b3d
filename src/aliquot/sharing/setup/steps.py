"""The steps that set a host up, as values: each can be done again without harm, and each knows its undo.

An undo may be carried out whether or not its step was: that's what makes a process that died between two steps
harmless.
"""

from dataclasses import dataclass

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.mig import Placement


@dataclass(frozen=True, slots=True)
class Target:
    """A GPU, or the MIG instance at a place on it."""

    gpu: str
    """The UUID."""
    place: Placement | None = None

    def __str__(self) -> str:
        return self.gpu if self.place is None else f"{self.place} of {self.gpu}"


@dataclass(frozen=True, slots=True)
class SetMigMode:
    """Switch MIG on or off. Off is left undone while instances are there: somebody else uses them."""

    gpu: str
    enabled: bool

    @property
    def undo(self) -> "SetMigMode":
        """The mode before."""
        return SetMigMode(self.gpu, not self.enabled)

    def __str__(self) -> str:
        return f"{'enable' if self.enabled else 'disable'} MIG mode on {self.gpu}"


@dataclass(frozen=True, slots=True)
class CreateInstance:
    """Create the MIG instance at a place."""

    gpu: str
    place: Placement

    @property
    def undo(self) -> "DestroyInstance":
        """Its end."""
        return DestroyInstance(self.gpu, self.place)

    def __str__(self) -> str:
        return f"create {self.place} on {self.gpu}"


@dataclass(frozen=True, slots=True)
class DestroyInstance:
    """Destroy the MIG instance at a place, if it's there."""

    gpu: str
    place: Placement

    @property
    def undo(self) -> CreateInstance:
        """The same again, for new clients."""
        return CreateInstance(self.gpu, self.place)

    def __str__(self) -> str:
        return f"destroy {self.place} on {self.gpu}"


@dataclass(frozen=True, slots=True)
class SetComputeMode:
    """Set who may open the GPU."""

    gpu: str
    mode: ComputeMode
    before: ComputeMode

    @property
    def undo(self) -> "SetComputeMode":
        """The mode before."""
        return SetComputeMode(self.gpu, self.before, self.mode)

    def __str__(self) -> str:
        return f"set compute mode {self.mode.value} on {self.gpu}"


@dataclass(frozen=True, slots=True)
class SetTimeSlice:
    """Set how long programs take turns."""

    gpu: str
    length: TimeSlice
    before: TimeSlice

    @property
    def undo(self) -> "SetTimeSlice":
        """The length before."""
        return SetTimeSlice(self.gpu, self.before, self.length)

    def __str__(self) -> str:
        return f"set time-slice {self.length.value} on {self.gpu}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Daemon:
    """An MPS daemon, and what each of its clients gets at most."""

    name: str
    targets: tuple[Target, ...]
    """In the order in which it counts them."""
    pipe: str
    """The folder of its socket, on the host."""
    log: str
    shm: str = "/dev/shm"  # noqa: S108 - shared memory that it and its clients must have in common
    percent: int | None = None
    memory: tuple[str, ...] | None = None
    """By target: `10240M`; empty: no limit on that one."""
    multi_user: bool = False

    @property
    def limits(self) -> tuple[str, ...]:
        """What each client gets at most, in words."""
        found = () if self.percent is None else (f"{self.percent} % of the multiprocessors",)
        memory = self.memory or ()
        if len(self.targets) == 1 or len(set(memory)) == 1:
            return (*found, *(f"{_mib(each)} of memory{self._each}" for each in memory[:1] if each))
        single = zip(self.targets, memory, strict=False)
        return (*found, *(f"{_mib(each)} of memory on {target}" for target, each in single if each))

    @property
    def _each(self) -> str:
        return " on each device" if len(self.targets) > 1 else ""


def _mib(limit: str) -> str:
    """A limit as the daemon takes it, `10240M`, in words."""
    return f"{limit.removesuffix('M')} MiB"


@dataclass(frozen=True, slots=True)
class StartMps:
    """Start an MPS daemon and give it its limits."""

    daemon: Daemon

    @property
    def undo(self) -> "StopMps":
        """Its end."""
        return StopMps(self.daemon)

    def __str__(self) -> str:
        return f"start MPS daemon {self.daemon.name} for {', '.join(map(str, self.daemon.targets))}"


@dataclass(frozen=True, slots=True)
class StopMps:
    """End an MPS daemon, if it runs."""

    daemon: Daemon

    @property
    def undo(self) -> StartMps:
        """The same again."""
        return StartMps(self.daemon)

    def __str__(self) -> str:
        return f"stop MPS daemon {self.daemon.name}"


Step = SetMigMode | CreateInstance | DestroyInstance | SetComputeMode | SetTimeSlice | StartMps | StopMps


def gpus_of(step: Step) -> frozenset[str]:
    """The UUIDs of the GPUs that a step touches."""
    if isinstance(step, (StartMps, StopMps)):
        return frozenset(target.gpu for target in step.daemon.targets)
    return frozenset({step.gpu})
