"""Carrying steps out on a host, one after the other; where one fails, what was done is undone in reverse.

Any host will do, and any keeper of MPS daemons: both are protocols. What couldn't be undone is told, in the order in
which it has to be tried again: the host may be asked again later.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from aliquot.devices.gpu import Gpu, TimeSlice
from aliquot.devices.hosts.protocol import GpuLost, Host, HostFault, MpsDaemons, MpsSettings, Refused, Why
from aliquot.devices.instances import Instance
from aliquot.sharing.setup.steps import (
    CreateInstance,
    DestroyInstance,
    SetComputeMode,
    SetMigMode,
    SetTimeSlice,
    StartMps,
    Step,
    StopMps,
    Target,
    gpus_of,
)


@dataclass(frozen=True, slots=True)
class Done:
    """All steps were carried out."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A step failed; the host stands as before, but for `left`."""

    step: Step
    why: Refused | HostFault
    left: tuple[Step, ...] = ()
    """What is still to be undone, in order."""

    def __str__(self) -> str:
        rest = f"; still to do: {', then '.join(map(str, self.left))}" if self.left else ""
        return f"{self.step}: {self.why.message}{rest}"


def carry_out(steps: Sequence[Step], host: Host, daemons: MpsDaemons) -> Done | Failed:
    """Carry steps out, all or none."""
    doing = _Doing(host, daemons)
    for number, step in enumerate(steps):
        failure = doing.one(step)
        if failure is not None:
            undone = steps[: number + 1] if _may_be_half_done(step, failure) else steps[:number]
            return Failed(step, failure, undo(undone, host, daemons))
    return Done()


def carry_on(steps: Sequence[Step], host: Host, daemons: MpsDaemons) -> Done | Failed:
    """Carry steps out up to the first that fails, and undo nothing: others may rest on what was there already."""
    doing = _Doing(host, daemons)
    for number, step in enumerate(steps):
        failure = doing.one(step)
        if failure is not None:
            return Failed(step, failure, tuple(steps[number:]))
    return Done()


def undo(steps: Sequence[Step], host: Host, daemons: MpsDaemons) -> tuple[Step, ...]:
    """Undo steps in reverse, also those that were never done; one that fails stops none on other GPUs.

    Returns:
        What is still to be undone, as steps to carry out.
    """
    return retry([step.undo for step in reversed(steps)], host, daemons)


def retry(steps: Sequence[Step], host: Host, daemons: MpsDaemons) -> tuple[Step, ...]:
    """Carry out what was left; see `undo`. On a GPU where one failed, the later ones wait for it."""
    failed = try_each(steps, host, daemons)
    left = {step for each in failed for step in (each.step, *each.left)}
    return tuple(step for step in steps if step in left)


def try_each(steps: Sequence[Step], host: Host, daemons: MpsDaemons) -> tuple[Failed, ...]:
    """Carry steps out, whatever fails on other GPUs.

    Returns:
        Each step that failed, with why; its `left` are those that wait for it.
    """
    doing = _Doing(host, daemons)
    failed: list[Failed] = []
    for step in steps:
        first = next((n for n, each in enumerate(failed) if gpus_of(step) & _touched(each)), None)
        if first is not None:
            failed[first] = replace(failed[first], left=(*failed[first].left, step))
            continue
        failure = doing.one(step)
        if failure is not None:
            failed.append(Failed(step, failure))
    return tuple(failed)


def _touched(failed: Failed) -> frozenset[str]:
    return frozenset[str]().union(*(gpus_of(step) for step in (failed.step, *failed.left)))


def _may_be_half_done(step: Step, failure: Refused | HostFault) -> bool:
    """A call that didn't come back may have worked; a refusal changed nothing, but a MIG mode that is pending now."""
    return isinstance(failure, HostFault) or isinstance(step, (SetMigMode, StartMps))


class _Doing:
    def __init__(self, host: Host, daemons: MpsDaemons) -> None:
        self.host = host
        self.daemons = daemons

    def one(self, step: Step) -> Refused | HostFault | None:
        try:
            return self._do(step)
        except HostFault as fault:
            return fault

    def _do(self, step: Step) -> Refused | None:
        match step:
            case SetMigMode(gpu, enabled):
                return self._mig_mode(gpu, enabled=enabled)
            case CreateInstance(gpu, place):
                return self._unless_there(step, lambda: self.host.create_instance(gpu, place))
            case DestroyInstance(gpu, place):
                found = self._instance(Target(gpu, place))
                return None if found is None else self.host.destroy_instance(gpu, found.id)
            case SetComputeMode(gpu, mode):
                return self.host.set_compute_mode(gpu, mode)
            case SetTimeSlice(gpu, length):
                refused = self.host.set_time_slice(gpu, length)
                plain = length is TimeSlice.DEFAULT and refused is not None and refused.why is Why.NOT_SUPPORTED
                return None if plain else refused  # a GPU whose time-slice can't be set has the default one
            case StartMps(daemon):
                devices = [self._device(target) for target in daemon.targets]
                if any(device is None for device in devices):
                    return Refused(why=Why.NOT_FOUND, message="a MIG instance of the daemon isn't there")
                settings = MpsSettings(
                    devices=tuple(device for device in devices if device is not None),
                    pipe=daemon.pipe,
                    log=daemon.log,
                    percent=daemon.percent,
                    memory=daemon.memory or (),
                    multi_user=daemon.multi_user,
                )
                return self.daemons.start_mps(settings)
            case StopMps(daemon):
                return self.daemons.stop_mps(daemon.pipe, daemon.log)

    def _mig_mode(self, gpu: str, *, enabled: bool) -> Refused | None:
        if not enabled and self._gpu(gpu).instances:
            return None  # others have instances there by now
        answer = self.host.set_mig_mode(gpu, enabled=enabled)
        return answer if isinstance(answer, Refused) else None

    def _unless_there(self, step: CreateInstance, create: Callable[[], Instance | Refused]) -> Refused | None:
        """An instance that is there already was made by an earlier try."""
        if self._instance(Target(step.gpu, step.place)) is not None:
            return None
        answer = create()
        return answer if isinstance(answer, Refused) else None

    def _instance(self, target: Target) -> Instance | None:
        there = self._gpu(target.gpu).instances
        return next((each for each in there if each.placement == target.place), None)

    def _gpu(self, uuid: str) -> Gpu:
        """A GPU as it stands now.

        Raises:
            GpuLost: it doesn't say.
        """
        survey = self.host.survey()
        known = survey.gpu(uuid)
        if known is not None:
            return known
        trouble = next((each.trouble for each in survey.unreadable if each.uuid == uuid), None)
        message = "no such GPU on this host" if trouble is None else trouble.message
        raise GpuLost(message, gpu=uuid, hint="" if trouble is None else trouble.hint)

    def _device(self, target: Target) -> str | None:
        """The UUID that CUDA knows a target by."""
        if target.place is None:
            return target.gpu
        found = self._instance(target)
        return None if found is None else found.uuid
