"""The protocol of a host, and how it says no.

A refusal is a value: the driver understood and won't. A fault is an exception: the driver or the GPU is gone or stuck.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from aliquot.devices.activity import Activity
from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.survey import Survey, Xid


class Why(StrEnum):
    """Why a host refused."""

    IN_USE = "in use"
    """Processes, other clients of the driver, or instances hold it: try again when they're gone."""
    NO_ROOM = "no room"
    BAD_PLACEMENT = "bad placement"
    """No such profile, or it can't start there on any GPU of this kind."""
    MIG_OFF = "MIG is off"
    NEEDS_RESET = "needs a reset"
    """Accepted, and pending until the GPU is reset or the machine rebooted."""
    NOT_FOUND = "not found"
    NOT_SUPPORTED = "not supported"
    NO_PERMISSION = "no permission"
    OTHER = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The host won't: nothing was changed, but for what `message` says."""

    why: Why
    message: str
    code: int | None = None
    """NVML's return code, where one was given."""


class HostFault(Exception):  # noqa: N818 - a fault of the host is no error of the caller
    """The driver or a GPU doesn't answer as it should."""

    def __init__(self, message: str, *, gpu: str | None = None, hint: str = "", code: int | None = None) -> None:
        super().__init__(f"{gpu}: {message}" if gpu is not None else message)
        self.message = message
        self.gpu = gpu
        """The GPU's UUID or, where that isn't known, its number."""
        self.hint = hint
        self.code = code


class GpuLost(HostFault):
    """The GPU is counted and doesn't answer: off the bus, or waiting for a reset."""


class Hung(HostFault):
    """A call didn't return within its limit; it was abandoned, and its GPU isn't asked again before `release`."""


class DriverMissing(HostFault):
    """There's no usable driver: none, half of one, or two halves that don't match."""


SLOW_S: Final = 2.0
"""An answer that took longer is told: a GPU that's kept started (persistence) answers in milliseconds."""


def slow_answer(took_s: float) -> tuple[str, ...]:
    """What to tell of a GPU whose driver took so long for an answer."""
    return (f"its driver took {took_s:.1f} s to answer",) if took_s >= SLOW_S else ()


class Host(Protocol):
    """The devices of one machine.

    GPUs are named by UUID. Methods that change something answer None or what came of it, or `Refused`; all may raise
    `HostFault`. A change is seen by the next `survey` of every host object on the same machine.
    """

    def survey(self) -> Survey:
        """Everything that can be found out now; never raises: what fails is told in the survey, the rest is there."""
        ...

    def geometry(self, gpu: str) -> Geometry | Refused:
        """How MIG may cut the GPU, by what the host itself says of profiles, places and memory."""
        ...

    def set_mig_mode(self, gpu: str, *, enabled: bool) -> MigMode | Refused:
        """Switch MIG. What comes back is the mode read again.

        `NEEDS_RESET` or `IN_USE`: accepted but pending (Ampere, while anybody holds the GPU). On Hopper and newer the
        mode is lost when the driver is reloaded. Off only without instances.
        """
        ...

    def create_instance(self, gpu: str, place: Placement) -> Instance | Refused:
        """Create a GPU instance at a place, and over all of it one compute instance; both or none."""
        ...

    def destroy_instance(self, gpu: str, instance: int) -> Refused | None:
        """Destroy a GPU instance by its id, and its compute instances first. A refusal may leave it without those."""
        ...

    def set_compute_mode(self, gpu: str, mode: ComputeMode) -> Refused | None:
        """Set who may open the GPU; running processes stay. Lost at a reboot."""
        ...

    def set_time_slice(self, gpu: str, length: TimeSlice) -> Refused | None:
        """Set how long processes take turns. Not on GPUs in MIG mode; lost at a reboot."""
        ...

    def reset(self, gpu: str) -> Refused | None:
        """Reset the GPU: instances go, a pending mode comes. Refused while anybody holds it."""
        ...

    def events(self, timeout_s: float) -> tuple[Xid, ...]:
        """The XIDs since the last call; waits for one until the time is over. Those before the first call are unknown.

        A lost GPU is told by `GpuLost`.
        """
        ...

    def activity(self, gpu: str) -> tuple[Activity, ...]:
        """How busy the GPU is, or each of its MIG instances; empty where that can't be measured.

        On Ampere nothing is known of a GPU in MIG mode. The first answer about a GPU may take a tenth of a second.
        """
        ...

    def release(self) -> None:
        """Let go of the driver: an open session is a client that blocks resets and mode changes. Opened at next use."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class MpsSettings:
    """An MPS daemon as it's started."""

    devices: tuple[str, ...]
    """UUIDs of the GPUs, or of the MIG instance, that it serves, in the order in which it counts them."""
    pipe: str
    """The folder of its socket; no two daemons have the same."""
    log: str
    percent: int | None = None
    """The most of the multiprocessors that a client gets."""
    memory: tuple[str, ...] = ()
    """By device, the most memory that a client gets there: `10240M`; empty: no limit."""
    multi_user: bool = False


class MpsDaemons(Protocol):
    """Who starts and ends MPS daemons for a machine: its host processes, or pods. A daemon outlives this object."""

    def start_mps(self, settings: MpsSettings) -> Refused | None:
        """Start a daemon and give it its limits; one that runs at that folder is left running. All or nothing."""
        ...

    def stop_mps(self, pipe: str, log: str) -> Refused | None:
        """End the daemon at that folder, if there is one, and the programs that are its clients."""
        ...

    def daemons_below(self, root: str) -> tuple[str, ...]:
        """The pipe folders, somewhere below this folder, of the daemons that run or have left their traces."""
        ...
