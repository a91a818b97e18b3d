"""Steps as plain data: what was done to the host, so that its undo needs nothing but the checkpoint."""

from typing import assert_never

import msgspec

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.mig import Placement
from aliquot.sharing.setup.steps import (
    CreateInstance,
    Daemon,
    DestroyInstance,
    SetComputeMode,
    SetMigMode,
    SetTimeSlice,
    StartMps,
    Step,
    StopMps,
    Target,
)


class Place(msgspec.Struct, frozen=True):
    """Of a MIG instance."""

    profile: str
    start: int


class OnGpu(msgspec.Struct, frozen=True, omit_defaults=True):
    """A GPU, or an instance on it."""

    gpu: str
    place: Place | None = None


class MigMode(msgspec.Struct, frozen=True, tag="setMigMode", tag_field="do"):
    """`SetMigMode`."""

    gpu: str
    enabled: bool


class Created(msgspec.Struct, frozen=True, tag="createInstance", tag_field="do"):
    """`CreateInstance`."""

    gpu: str
    place: Place


class Mode(msgspec.Struct, frozen=True, tag="setComputeMode", tag_field="do"):
    """`SetComputeMode`."""

    gpu: str
    mode: ComputeMode
    before: ComputeMode


class Turns(msgspec.Struct, frozen=True, tag="setTimeSlice", tag_field="do"):
    """`SetTimeSlice`."""

    gpu: str
    length: TimeSlice
    before: TimeSlice


class Mps(msgspec.Struct, frozen=True, tag="startMps", tag_field="do", rename="camel", omit_defaults=True):
    """`StartMps`."""

    name: str
    targets: tuple[OnGpu, ...]
    pipe: str
    log: str
    shm: str
    percent: int | None = None
    memory: tuple[str, ...] | None = None
    multi_user: bool = False


StepData = MigMode | Created | Mode | Turns | Mps


def place_data(place: Placement) -> Place:
    """A place as data."""
    return Place(place.profile, place.start)


def place_of(data: Place) -> Placement:
    """A place from data."""
    return Placement(data.start, data.profile)


def step_data(step: Step) -> StepData:
    """A step as data.

    Raises:
        ValueError: it undoes another one; the checkpoint has only those that are to be undone.
    """
    match step:
        case SetMigMode(gpu, enabled):
            return MigMode(gpu, enabled)
        case CreateInstance(gpu, place):
            return Created(gpu, place_data(place))
        case SetComputeMode(gpu, mode, before):
            return Mode(gpu, mode, before)
        case SetTimeSlice(gpu, length, before):
            return Turns(gpu, length, before)
        case StartMps(daemon):
            return _mps_data(daemon)
        case DestroyInstance() | StopMps():
            raise ValueError(f"{step}: it undoes a step")
        case _:
            assert_never(step)


def step_of(data: StepData) -> Step:
    """A step from data."""
    match data:
        case MigMode(gpu, enabled):
            return SetMigMode(gpu, enabled)
        case Created(gpu, place):
            return CreateInstance(gpu, place_of(place))
        case Mode(gpu, mode, before):
            return SetComputeMode(gpu, mode, before)
        case Turns(gpu, length, before):
            return SetTimeSlice(gpu, length, before)
        case Mps():
            return StartMps(_daemon(data))
        case _:
            assert_never(data)


def _mps_data(daemon: Daemon) -> Mps:
    return Mps(
        name=daemon.name,
        targets=tuple(OnGpu(each.gpu, place_data(each.place) if each.place else None) for each in daemon.targets),
        pipe=daemon.pipe,
        log=daemon.log,
        shm=daemon.shm,
        percent=daemon.percent,
        memory=daemon.memory,
        multi_user=daemon.multi_user,
    )


def _daemon(data: Mps) -> Daemon:
    return Daemon(
        name=data.name,
        targets=tuple(Target(each.gpu, place_of(each.place) if each.place else None) for each in data.targets),
        pipe=data.pipe,
        log=data.log,
        shm=data.shm,
        percent=data.percent,
        memory=data.memory,
        multi_user=data.multi_user,
    )
