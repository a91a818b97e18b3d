"""The NVIDIA GPUs of this machine, by NVML in a worker process."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.devices.activity import Activity
from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.devices.hosts.nvml import look
from aliquot.devices.hosts.nvml.errors import fault_of, refusal_of
from aliquot.devices.hosts.nvml.geometry import geometry_from
from aliquot.devices.hosts.nvml.process import NvmlCodeError, WorkerProcess
from aliquot.devices.hosts.nvml.smi import Smi
from aliquot.devices.hosts.protocol import GpuLost, HostFault, Hung, Refused, Why
from aliquot.devices.instances import Instance, MigMode, placements_of
from aliquot.devices.mig import Geometry, Placement
from aliquot.devices.mig.fitting import still_fit
from aliquot.devices.survey import Survey, Unreadable, Xid, gathered

LIMIT_S: Final = 30.0
"""The first look-up of a GPU without persistence takes seconds, and destroying an instance about one."""

_MODES: Final = {ComputeMode.DEFAULT: 0, ComputeMode.PROHIBITED: 2, ComputeMode.EXCLUSIVE_PROCESS: 3}


class NvmlHost:
    """A `Host` by NVML. GPUs are listed by index, kept by UUID and found again by PCI address. Not thread-safe."""

    def __init__(
        self,
        *,
        library: Path | None = None,
        root: Path = Path("/"),
        limit_s: float = LIMIT_S,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Nothing is opened yet.

        Args:
            library: a libnvidia-ml.so.1 elsewhere, such as below a driver's root; None: the system's.
            root: where /sys, /proc and /dev are, for tests and for containers that mount the host's.
            limit_s: how long the driver may take for an answer.
            environment: of the worker process; None: this process's.
        """
        self._worker = WorkerProcess(None if library is None else str(library), environment)
        self._watcher = WorkerProcess(None if library is None else str(library), environment)
        self._root = root
        self._limit = limit_s
        self._environment = environment
        self._pci: dict[str, str] = {}
        self._known: dict[str, Gpu] = {}
        self._hung: dict[str, str] = {}
        self._profiles: dict[str, list[dict[str, Any]]] = {}
        """By UUID; places and memory don't change before the driver does."""
        self._slices: dict[str, TimeSlice] = {}
        self._xids: tuple[Xid, ...] = ()

    # --- looking -----------------------------------------------------------------------------------------------------
    def survey(self) -> Survey:
        """See `Host`: what the driver says, and what /sys and /proc say beside it."""
        looking = look.Look(self._worker, self._root, self._limit, self._hung)
        survey = looking.everything(self._slices, self._xids)
        unreadable = tuple(self._recognised(each) for each in survey.unreadable)
        self._known |= {gpu.uuid: gpu for gpu in survey.gpus}
        self._pci |= {gpu.uuid: gpu.pci for gpu in survey.gpus}
        return replace(survey, unreadable=unreadable)

    def _recognised(self, each: Unreadable) -> Unreadable:
        """One that answered before, by its address, else by its index."""
        for gpu in self._known.values():
            if each.pci == gpu.pci or (each.pci is None and each.index == gpu.index):
                trouble = replace(each.trouble, gpu=f"gpu {each.index} ({gpu.pci})")
                return replace(
                    each, uuid=gpu.uuid, pci=gpu.pci, trouble=trouble if each.index is not None else each.trouble
                )
        return each

    def geometry(self, gpu: str) -> Geometry | Refused:
        """See `Host`: places and memory as the driver tells them."""
        known = self._gpu(gpu)
        if known.mig is None:
            return Refused(why=Why.NOT_SUPPORTED, message="this GPU has no MIG", code=3)
        if not self._profiles.get(gpu):
            try:
                self._profiles[gpu] = self._ask("profiles", gpu)
            except NvmlCodeError as error:
                return self._refused(error, gpu, "asking for its MIG profiles", known)
        if not self._profiles[gpu]:
            off = not known.mig.current
            message = "the driver tells the profiles with MIG on only" if off else "the driver tells no MIG profiles"
            return Refused(why=Why.MIG_OFF if off else Why.NOT_SUPPORTED, message=message, code=3)
        return geometry_from(self._profiles[gpu], known)

    # --- changing ----------------------------------------------------------------------------------------------------
    def set_mig_mode(self, gpu: str, *, enabled: bool) -> MigMode | Refused:
        """See `Host`. The session that watches for events is let go first: it would be a client that holds the GPU."""
        self._watcher.close()
        doing = f"switching MIG {'on' if enabled else 'off'}"
        try:
            answer = self._ask("set_mig_mode", gpu, enabled)
        except NvmlCodeError as error:
            return self._refused(error, gpu, doing)
        self._worker.close()
        self._profiles.pop(gpu, None)
        mode = MigMode(answer["current"], answer["pending"])
        if mode.current == enabled:
            return mode
        held = answer["status"] == 19
        return Refused(
            why=Why.IN_USE if held else Why.NEEDS_RESET,
            message=f"the mode is pending until the GPU is reset{': somebody holds the GPU' if held else ''}",
            code=answer["status"],
        )

    def create_instance(self, gpu: str, place: Placement) -> Instance | Refused:
        """See `Host`. The place is judged by the driver's own table first: its codes for a bad one differ."""
        known = self._gpu(gpu)
        if known.mig is not None and not known.mig.current:
            return Refused(why=Why.MIG_OFF, message="MIG is off", code=3)
        geometry = self.geometry(gpu)
        if isinstance(geometry, Refused):
            return geometry
        if geometry.placement_certainty == "unknown":
            return Refused(why=Why.NO_PERMISSION, message="the places of instances may be asked by root only", code=4)
        wanted = geometry.profile(place.profile)
        if wanted is None or place.start not in wanted.starts:
            starts = (
                f"{place.profile} starts at {', '.join(map(str, wanted.starts))}" if wanted else f"no {place.profile}"
            )
            return Refused(why=Why.BAD_PLACEMENT, message=f"{place}: {starts}", code=2)
        profile = next(each for each in self._profiles[gpu] if each["id"] == wanted.profile_id)
        try:
            made = self._ask("create", gpu, profile, place.start)
        except NvmlCodeError as error:
            refused = self._refused(error, gpu, f"creating {place}", known)
            if error.code in {2, 23}:
                return self._no_room(known, geometry, Placement(place.start, wanted.name), refused)
            return refused
        return msgspec.convert(made, Instance)

    def destroy_instance(self, gpu: str, instance: int) -> Refused | None:
        """See `Host`."""
        try:
            self._ask("destroy", gpu, instance)
        except NvmlCodeError as error:
            return self._refused(error, gpu, f"destroying instance {instance}", self._gpu(gpu))
        return None

    def set_compute_mode(self, gpu: str, mode: ComputeMode) -> Refused | None:
        """See `Host`."""
        try:
            self._ask("set_compute_mode", gpu, _MODES[mode])
        except NvmlCodeError as error:
            return self._refused(error, gpu, f"setting compute mode {mode.value}")
        return None

    def set_time_slice(self, gpu: str, length: TimeSlice) -> Refused | None:
        """See `Host`: NVML has no call for it, nvidia-smi has."""
        if self._gpu(gpu).mig_enabled:
            return Refused(why=Why.NOT_SUPPORTED, message="no time-slice while MIG is on")
        refused = self._smi().set_time_slice(gpu, length)
        if refused is None:
            self._slices[gpu] = length
        return refused

    def reset(self, gpu: str) -> Refused | None:
        """See `Host`: by nvidia-smi, after letting go of the GPU."""
        self.release()
        return self._smi().reset(gpu)

    def events(self, timeout_s: float) -> tuple[Xid, ...]:
        """See `Host`. The driver doesn't say which GPU is lost, so each is asked."""
        if not self._pci:
            self.survey()
        try:
            limit = timeout_s + self._limit
            found = self._watcher.ask("wait", self._pci, int(timeout_s * 1000), limit_s=limit)
        except NvmlCodeError as error:
            fault = fault_of(error, None)
            lost = [each for each in self.survey().unreadable if each.index is not None]
            if isinstance(fault, GpuLost) and lost:
                fault = GpuLost(
                    lost[0].trouble.message, gpu=lost[0].uuid or lost[0].trouble.gpu, hint=lost[0].trouble.hint
                )
            self._watcher.close()
            raise fault or GpuLost(error.text, code=error.code) from None
        xids = tuple(self._xid(*each) for each in found)
        self._xids = gathered((*self._xids, *xids))
        return xids

    def _xid(self, gpu: str | None, number: int, gi: int | None, ci: int | None) -> Xid:
        """An event; the instance of a GPU without MIG is none, whatever the library says."""
        known = self._known.get(gpu or "")
        if known is not None and not known.mig_enabled:
            return Xid(gpu=gpu, number=number)
        return Xid(gpu=gpu, number=number, gi=gi, ci=ci)

    def activity(self, gpu: str) -> tuple[Activity, ...]:
        """See `Host`."""
        known = self._gpu(gpu)
        ids = [each.id for each in known.instances if each.compute]
        if known.mig_enabled and not ids:
            return ()
        try:
            return tuple(msgspec.convert(each, Activity) for each in self._ask("activity", gpu, ids))
        except NvmlCodeError as error:
            raise fault_of(error, gpu) or HostFault(error.text, gpu=gpu, code=error.code) from None

    def release(self) -> None:
        """See `Host`; hung GPUs are asked again."""
        self._worker.close()
        self._watcher.close()
        for kept in (self._hung, self._pci, self._known, self._profiles):
            kept.clear()

    # --- within ------------------------------------------------------------------------------------------------------
    def _smi(self) -> Smi:
        return Smi(self._root, self._limit, self._environment)

    def _gpu(self, gpu: str) -> Gpu:
        """The GPU as it stands now; only the first look asks the others too."""
        if gpu in self._known:
            try:
                return msgspec.convert({**self._who(gpu), **self._ask("standing", gpu)}, Gpu)
            except NvmlCodeError as error:
                fault = fault_of(error, gpu)
                raise fault or GpuLost(error.text, gpu=gpu, code=error.code) from None
        found = self.survey()
        known = found.gpu(gpu)
        if known is not None:
            return known
        for each in found.unreadable:
            if each.uuid == gpu or (each.pci is not None and each.pci == self._pci.get(gpu)):
                raise (Hung if each.pci in self._hung else GpuLost)(
                    each.trouble.message, gpu=gpu, hint=each.trouble.hint
                )
        if found.troubles:
            raise GpuLost(found.troubles[0].message, gpu=gpu, hint=found.troubles[0].hint)
        raise GpuLost("no such GPU on this host", gpu=gpu, hint=f"it has {', '.join(each.uuid for each in found.gpus)}")

    def _who(self, gpu: str) -> dict[str, Any]:
        known = self._known[gpu]
        names = ("index", "uuid", "name", "pci", "pci_id", "minor", "serial", "brand")
        return {name: getattr(known, name) for name in names}

    def _ask(self, question: str, gpu: str, *arguments: object) -> Any:
        """Ask about a GPU.

        Raises:
            NvmlCodeError: NVML said no.
            HostFault: as it says.
        """
        if gpu not in self._pci:
            self._gpu(gpu)
        pci = self._pci[gpu]
        if pci in self._hung:
            raise Hung(self._hung[pci], gpu=gpu, hint="it isn't asked again before `release`")
        try:
            return self._worker.ask(question, pci, *arguments, limit_s=self._limit, gpu=gpu)
        except Hung as fault:
            self._hung[pci] = fault.message
            raise

    def _refused(self, error: NvmlCodeError, gpu: str, doing: str, known: Gpu | None = None) -> Refused:
        """The refusal that a code means.

        Raises:
            HostFault: it's none.
        """
        fault = fault_of(error, gpu)
        if fault is not None:
            raise fault from None
        refused = refusal_of(error, doing)
        if error.left is not None:
            message = f"{refused.message}; GPU instance {error.left} is left without compute instance"
            refused = Refused(why=refused.why, message=message, code=error.code)
        if error.code == 3 and known is not None and known.mig is not None and not known.mig.current:
            return Refused(why=Why.MIG_OFF, message=f"{doing}: MIG is off", code=3)
        return refused

    def _no_room(self, known: Gpu, geometry: Geometry, place: Placement, refused: Refused) -> Refused:
        """A legal place refused: for lack of room wherever something lies there or the slices are used up."""
        state = placements_of(known.instances)
        full = place.start not in still_fit(geometry, state)[place.profile]
        why = Why.NO_ROOM if full or refused.code == 23 else refused.why
        return Refused(why=why, message=f"no room for {place}" if full else refused.message, code=refused.code)
