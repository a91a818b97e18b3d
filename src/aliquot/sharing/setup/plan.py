"""From devices and a configuration to the steps on the host and the edits of the container.

Nothing is done here: the survey says how the host stands, and every step carries what was there before.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.cdi.spec import ContainerEdits
from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.devices.instances import placements_of
from aliquot.devices.mig import Geometry, geometry_of, memory_of
from aliquot.devices.mig.legal_layouts import violations
from aliquot.devices.survey import Survey
from aliquot.kube.reading.shape import Fault
from aliquot.sharing.claim_configs.limits import limits_of
from aliquot.sharing.claim_configs.values import ClaimConfig, Mps, TimeSlicing
from aliquot.sharing.legal import Use, client_limit, conflict, problems, sets_time_slices, strategy_of
from aliquot.sharing.memory_limits import mib_of_limits, sums, usable_mib
from aliquot.sharing.setup.edits import edits_of
from aliquot.sharing.setup.in_the_way import must_end
from aliquot.sharing.setup.notes import notes
from aliquot.sharing.setup.steps import (
    CreateInstance,
    Daemon,
    SetComputeMode,
    SetMigMode,
    SetTimeSlice,
    StartMps,
    Step,
    Target,
)

MPS_ROOT: Final = "/run/aliquot/mps"
"""Short: the path of a socket may have 107 bytes."""
SOCKET_BYTES: Final = 107
END: Final = "end them, or take another device"
_NAME: Final = re.compile(r"[A-Za-z0-9][-.A-Za-z0-9]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Devices of one claim that share one configuration."""

    name: str
    """Of its own, such as the claim's UID: an MPS daemon and its folder are called so."""
    targets: tuple[Target, ...]
    config: ClaimConfig
    admin: bool = False
    """Whether it's admin access: it looks at devices that others use, and changes nothing on them."""
    clients: int | None = None
    """How many programs will use each device at the same time, where that's known."""


@dataclass(frozen=True, slots=True)
class SetUp:
    """What is to be done, in this order, and what the container gets. Undone in reverse."""

    steps: tuple[Step, ...]
    edits: ContainerEdits
    notes: tuple[str, ...] = ()
    """What the steps need and how long they last, who uses the devices, what is asked and changes nothing."""


@dataclass(frozen=True, slots=True)
class CannotSetUp:
    """Why not: faults of the configuration have its paths, others name the device."""

    faults: tuple[Fault, ...]


def plan(
    request: Request,
    survey: Survey,
    *,
    geometries: Mapping[str, Geometry] | None = None,
    in_use: Sequence[Use] = (),
    mps_root: str = MPS_ROOT,
) -> SetUp | CannotSetUp:
    """Work out how devices are set up.

    Args:
        request: the devices and their configuration.
        survey: the host as it stands.
        geometries: how MIG may cut its GPUs, by UUID, as the host says; the catalogue's where one is missing.
        in_use: what others make of its devices.
        mps_root: the folder for the folders of MPS daemons.
    """
    planning = _Planning(request, survey, geometries or {}, in_use, mps_root)
    wrong = tuple(planning.faults())
    return CannotSetUp(wrong) if wrong else planning.set_up()


class _Planning:
    def __init__(
        self, request: Request, survey: Survey, geometries: Mapping[str, Geometry], in_use: Sequence[Use], root: str
    ) -> None:
        self.request = request
        self.sharing = request.config.sharing
        self.survey = survey
        self.geometries = geometries
        self.in_use = in_use
        self.folder = f"{root.rstrip('/')}/{request.name}"
        self.gpus = {gpu.uuid: gpu for gpu in survey.gpus}
        self.limits: tuple[str, ...] | None = None

    # --- what speaks against it ----------------------------------------------------------------------------------
    def faults(self) -> Iterator[Fault]:
        if not self.request.targets:
            yield Fault("", "there is no device to set up")
        for target, count in Counter(self.request.targets).items():
            if count > 1:
                yield Fault("", f"{target}: named {count} times")
        for target in self.request.targets:
            if target.gpu not in self.gpus:
                lost = next((each for each in self.survey.unreadable if each.uuid == target.gpu), None)
                told = lost.trouble.message if lost else "no such GPU on this host"
                yield Fault("", f"{target}: {told}", lost.trouble.hint if lost else "")
                continue
            against = tuple(self._of_device(target))
            yield from (Fault("", f"{target}: {message}") for message in against)
            if not against and not self.request.admin and self._first(target):
                running = must_end(self.gpus[target.gpu], target, self.sharing)
                yield from (Fault("", f"{target}: {message}", END) for message in running)
        for gpu in {target.gpu: None for target in self.request.targets if target.place is not None}:
            for message in self._of_places(self.gpus[gpu]) if gpu in self.gpus else ():
                yield Fault("", f"{gpu}: {message}")
        if isinstance(self.sharing, Mps):
            yield from self._of_mps(self.sharing)

    def _of_device(self, target: Target) -> Iterator[str]:
        gpu, on_mig = self.gpus[target.gpu], target.place is not None
        if on_mig != self.request.config.for_mig:
            kind = "MIG instance" if on_mig else "whole GPU"
            yield f"a {kind} can't be set up by a {self.request.config.kind}"
            return
        turns = self.sharing.interval if isinstance(self.sharing, TimeSlicing) else TimeSlice.DEFAULT
        yield from problems(
            gpu,
            self.survey.driver,
            strategy_of(self.sharing, on_mig=on_mig),
            clients=self.request.clients,
            interval=turns,
            multi_user=isinstance(self.sharing, Mps) and self.sharing.multi_user,
        )
        if not self.request.admin:
            mine = Use(target.gpu, target.place, self.sharing)
            yield from (message for use in self.in_use if (message := conflict(mine, use)) is not None)

    def _of_places(self, gpu: Gpu) -> Iterator[str]:
        """Whether the instances that aren't there yet fit, all of them together."""
        new = [t.place for t in self.request.targets if t.gpu == gpu.uuid and t.place and not self._there(t)]
        if not new or gpu.mig is None:
            return
        state = placements_of(gpu.instances)
        geometry = self._geometry(gpu)
        if geometry is None or not geometry.known or len(state) < len(gpu.instances):
            yield "where MIG instances lie and may lie on it isn't known"
            return
        unknown = [place.profile for place in new if geometry.profile(place.profile) is None]
        if unknown:
            known = ", ".join(profile.name for profile in geometry.profiles)
            yield from (f"it has no MIG profile {name}, it has {known}" for name in unknown)
            return
        yield from violations(geometry, (*state, *new))

    def _geometry(self, gpu: Gpu) -> Geometry | None:
        return self.geometries.get(gpu.uuid) or (geometry_of(gpu.model) if gpu.model is not None else None)

    def _first(self, target: Target) -> bool:
        """Whether it's the request's first device on its GPU: what is wrong with a whole GPU is told once."""
        return target == next(each for each in self.request.targets if each.gpu == target.gpu)

    def _there(self, target: Target) -> bool:
        """Whether the wanted instance exists already."""
        return target.place in placements_of(self.gpus[target.gpu].instances)

    def _of_mps(self, mps: Mps) -> Iterator[Fault]:
        targets = self.request.targets
        if self.request.config.for_mig and len(targets) > 1:
            message = f"MPS over {len(targets)} MIG instances: each has a daemon of its own, and a program reaches one"
            yield Fault("sharing.strategy", message, "ask for each instance in a request of its own")
        limits, wrong = limits_of(mps, [self._uuid(target) for target in targets])
        self.limits = limits
        yield from wrong
        if _NAME.fullmatch(self.request.name) is None:
            yield Fault("", f"{self.request.name!r} can't name an MPS daemon's folder", "letters, digits, - and .")
        socket = f"{self.folder}/pipe/control"
        if len(socket.encode()) > SOCKET_BYTES:
            yield Fault("", f"{socket} is longer than the {SOCKET_BYTES} bytes of a socket's address")

    def _uuid(self, target: Target) -> str | None:
        if target.place is None or target.gpu not in self.gpus:
            return target.gpu
        return next((each.uuid for each in self.gpus[target.gpu].instances if each.placement == target.place), None)

    # --- what is to be done --------------------------------------------------------------------------------------
    def set_up(self) -> SetUp:
        if self.request.admin:
            said = ("admin access changes nothing on the devices",) if self.sharing is not None else ()
            return SetUp((), ContainerEdits(), said)
        daemon = self._daemon(self.sharing) if isinstance(self.sharing, Mps) else None
        steps = [step for target in self.request.targets for step in self._instance(target)]
        steps += [step for target in self.request.targets for step in self._modes(target)]
        if daemon is not None:
            steps.append(StartMps(daemon))
        told = (*notes(self.request.targets, self.sharing, self.gpus, steps), *self._memory_notes())
        return SetUp(tuple(steps), edits_of(daemon), told)

    def _daemon(self, mps: Mps) -> Daemon:
        return Daemon(
            name=self.request.name,
            targets=self.request.targets,
            pipe=f"{self.folder}/pipe",
            log=f"{self.folder}/log",
            percent=mps.percent,
            memory=self.limits,
            multi_user=mps.multi_user,
        )

    def _memory_notes(self) -> Iterator[str]:
        """The limits of MPS clients beside the memory of their devices."""
        for target, limit in zip(self.request.targets, mib_of_limits(self.limits or ()), strict=False):
            memory = self._memory_mib(target)
            if limit is not None and memory is not None:
                most = client_limit(self.gpus[target.gpu], self.survey.driver)
                yield from sums(str(target), limit, memory, self.request.clients, most)

    def _memory_mib(self, target: Target) -> int | None:
        """The memory of a GPU or of an instance, which may be still to be made."""
        gpu = self.gpus[target.gpu]
        if target.place is None:
            return usable_mib(gpu.memory) if gpu.memory is not None else None
        there = next((each.memory_mib for each in gpu.instances if each.placement == target.place), None)
        geometry = self._geometry(gpu)
        profile = geometry.profile(target.place.profile) if geometry is not None else None
        return there or (memory_of(profile).mib if profile is not None else None)

    def _instance(self, target: Target) -> Iterator[Step]:
        if target.place is None or self._there(target):
            return
        if not self.gpus[target.gpu].mig_enabled and self._first(target):
            yield SetMigMode(target.gpu, enabled=True)
        yield CreateInstance(target.gpu, target.place)

    def _modes(self, target: Target) -> Iterator[Step]:
        """Those of a whole GPU: MIG is off; compute mode and time-slice, which a GPU in MIG mode hasn't got."""
        if target.place is not None:
            return
        gpu = self.gpus[target.gpu]
        if gpu.mig_enabled:  # and without an instance, on a part that needs no reset: else it's illegal
            yield SetMigMode(gpu.uuid, enabled=False)
        if self.sharing is None:
            return
        now = gpu.compute_mode or ComputeMode.DEFAULT
        mode = ComputeMode.EXCLUSIVE_PROCESS if isinstance(self.sharing, Mps) else ComputeMode.DEFAULT
        if gpu.compute_mode is not mode:
            yield SetComputeMode(gpu.uuid, mode, now)
        sets = sets_time_slices(self.survey.driver)
        if sets and isinstance(self.sharing, TimeSlicing) and gpu.time_slice is not self.sharing.interval:
            yield SetTimeSlice(gpu.uuid, self.sharing.interval, gpu.time_slice or TimeSlice.DEFAULT)
