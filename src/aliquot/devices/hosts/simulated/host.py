"""A host that's simulated from a file: exact MIG geometry and memory, NVML's refusals, faults on demand."""

from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import msgspec

from aliquot.devices.activity import Activity
from aliquot.devices.gpu import ComputeMode, Gpu, TimeSlice
from aliquot.devices.hosts.protocol import GpuLost, Hung, MpsSettings, Refused, Why, slow_answer
from aliquot.devices.hosts.simulated import rules
from aliquot.devices.hosts.simulated.file import CALLS
from aliquot.devices.hosts.simulated.look import activity_now, first_state, gpu_now, model_of, nic_now, pci_of, uuid_of
from aliquot.devices.hosts.simulated.shape import Fault, HostFile
from aliquot.devices.hosts.simulated.state import GpuState, HostState, Store
from aliquot.devices.instances import Instance, MigMode
from aliquot.devices.mig import Geometry, Placement, geometry_of, memory_of
from aliquot.devices.survey import Driver, Silence, Survey, Trouble, Unreadable, Xid

LIMIT_S = 10.0
KEPT_XIDS = 20


class SimulatedHost:
    """A `Host` with its `MpsDaemons`, by a file. Its state survives restarts where it's given a state file.

    Not thread-safe within one object without a state file; objects on the same state file exclude each other.
    """

    def __init__(
        self, file: HostFile, *, name: str = "sim", state: Path | None = None, limit_s: float = LIMIT_S
    ) -> None:
        """Start it, or come back to its state.

        Args:
            file: a checked host file.
            name: what the survey calls it.
            state: where its state is kept.
            limit_s: how long a call may take before it counts as hung.
        """
        self.file = file
        self._name = name
        self._limit = limit_s
        self._store = Store(first_state(file), state)
        self._faults: list[Fault] = list(file.faults)
        self._hung: set[str] = set()
        self._models = {uuid_of(file, index): model_of(gpu) for index, gpu in enumerate(file.gpus)}
        self._order = {uuid: index for index, uuid in enumerate(self._models)}

    # --- the protocol --------------------------------------------------------------------------------------------
    def survey(self) -> Survey:
        """Everything as it is; apart the GPUs that are lost or hang, and those that the file lets refuse."""
        gpus: list[Gpu] = []
        unreadable: list[Unreadable] = []
        for uuid, index in self._order.items():
            start = monotonic()
            try:
                refused = self._strike("survey", uuid)
            except (GpuLost, Hung) as fault:
                silence = Silence.HUNG if isinstance(fault, Hung) else Silence.LOST
                unreadable.append(self._unreadable(uuid, fault.message, fault.hint, silence))
                continue
            if refused is not None:
                unreadable.append(self._unreadable(uuid, f"it can't be asked, {refused.message}: {refused.why}"))
                continue
            gpu = gpu_now(self.file, index, self._store.load().gpus[uuid])
            gpus.append(replace(gpu, partial=slow_answer(monotonic() - start)))
        state = self._store.load()
        return Survey(
            host=self._name,
            driver=Driver(version=self.file.driver.version, cuda=self.file.driver.cuda) if self.file.gpus else None,
            gpus=tuple(gpus),
            unreadable=tuple(unreadable),
            nics=tuple(nic_now(nic) for nic in self.file.nics),
            xids=tuple(
                _xid(each) for each in (*state.seen, *self._untold(state).values(), *state.pending)[-KEPT_XIDS:]
            ),
        )

    def check(self) -> None:
        """Read the state that it comes back to.

        Raises:
            ValueError: the state file isn't one.
        """
        self._store.load()

    def geometry(self, gpu: str) -> Geometry | Refused:
        """As the catalogue knows it."""
        geometry = self._geometry(gpu)
        if (refused := self._strike("geometry", gpu)) is not None:
            return refused
        if geometry is None or not geometry.known:
            unpublished = "where its MIG instances may lie isn't published, so it isn't simulated"
            why = "this GPU has no MIG" if geometry is None else unpublished
            return Refused(why=Why.NOT_SUPPORTED, message=why, code=rules.NVML_NOT_SUPPORTED)
        profiles = tuple(replace(profile, memory_mib=memory_of(profile).mib) for profile in geometry.profiles)
        return replace(geometry, profiles=profiles, placement_certainty="node")

    def set_mig_mode(self, gpu: str, *, enabled: bool) -> MigMode | Refused:
        """See `Host`."""
        refused = self._before("set_mig_mode", gpu)
        if refused is not None:
            return refused
        with self._store.change() as box:
            architecture, clients = self._models[gpu].architecture, tuple(self.file.clients)
            after, refused = rules.set_mig_mode(
                box[0].gpus[gpu], enabled=enabled, architecture=architecture, clients=clients
            )
            box[0] = _with(box[0], after)
        assert refused is not None or after.mig is not None
        return refused or after.mig or MigMode(enabled, enabled)

    def create_instance(self, gpu: str, place: Placement) -> Instance | Refused:
        """See `Host`."""
        refused = self._before("create_instance", gpu)
        if refused is not None:
            return refused
        with self._store.change() as box:
            geometry, fresh = self._geometry(gpu), self.file.mig_uuids == "fresh"
            after, answer = rules.create(box[0].gpus[gpu], geometry, place, fresh=fresh)
            box[0] = _with(box[0], after)
        return answer

    def destroy_instance(self, gpu: str, instance: int) -> Refused | None:
        """See `Host`."""
        refused = self._before("destroy_instance", gpu)
        if refused is None:
            with self._store.change() as box:
                after, refused = rules.destroy(box[0].gpus[gpu], instance)
                box[0] = _with(box[0], after)
        return refused

    def set_compute_mode(self, gpu: str, mode: ComputeMode) -> Refused | None:
        """See `Host`."""
        refused = self._before("set_compute_mode", gpu)
        if refused is None:
            with self._store.change() as box:
                after, refused = rules.set_compute_mode(box[0].gpus[gpu], mode)
                box[0] = _with(box[0], after)
        return refused

    def set_time_slice(self, gpu: str, length: TimeSlice) -> Refused | None:
        """See `Host`."""
        refused = self._before("set_time_slice", gpu)
        if refused is None:
            with self._store.change() as box:
                after, refused = rules.set_time_slice(box[0].gpus[gpu], length)
                box[0] = _with(box[0], after)
        return refused

    def reset(self, gpu: str) -> Refused | None:
        """See `Host`."""
        refused = self._before("reset", gpu, lost_too=True)
        if refused is None:
            with self._store.change() as box:
                after, refused = rules.reset(box[0].gpus[gpu], tuple(self.file.clients))
                box[0] = _with(box[0], after)
        return refused

    def events(self, timeout_s: float) -> tuple[Xid, ...]:
        """See `Host`; the XIDs of the file's faults come at the first call."""
        until = monotonic() + timeout_s
        while True:
            with self._store.change() as box:
                state = box[0]
                new = self._untold(state)
                found = (*new.values(), *state.pending)
                if found:
                    box[0] = msgspec.structs.replace(
                        state,
                        pending=(),
                        told=(*state.told, *new),
                        seen=(*state.seen, *found)[-KEPT_XIDS:],
                    )
            if found or monotonic() >= until:
                return tuple(_xid(each) for each in found)
            sleep(min(0.05, max(0.0, until - monotonic())))

    def activity(self, gpu: str) -> tuple[Activity, ...]:
        """See `Host`."""
        self._known(gpu)
        self._strike("activity", gpu)
        return activity_now(self.file, self._order[gpu], self._store.load().gpus[gpu])

    def release(self) -> None:
        """See `Host`; hung GPUs are asked again."""
        self._hung.clear()

    # --- MPS daemons -----------------------------------------------------------------------------------------------
    def start_mps(self, settings: MpsSettings) -> Refused | None:
        """See `MpsDaemons`: on devices that are there, GPUs in MIG mode by their instances."""
        for gpu in {self._owner(device) for device in settings.devices}:
            refused = self._before("start_mps", gpu)
            if refused is not None:
                return refused
        with self._store.change() as box:
            after, refused = rules.start_mps(box[0], settings)
            box[0] = after
        return refused

    def stop_mps(self, pipe: str, log: str) -> Refused | None:  # noqa: ARG002 - it keeps no logs
        """See `MpsDaemons`."""
        settings = self._store.load().mps.get(pipe)
        if settings is None:
            return None
        for gpu in {self._owner(device) for device in settings.devices} & self._models.keys():
            refused = self._strike("stop_mps", gpu, lost_too=True)
            if refused is not None:
                return refused
        with self._store.change() as box:
            left = {folder: each for folder, each in box[0].mps.items() if folder != pipe}
            box[0] = msgspec.structs.replace(box[0], mps=left)
        return None

    def mps_daemons(self) -> tuple[MpsSettings, ...]:
        """Those that run."""
        return tuple(self._store.load().mps.values())

    def daemons_below(self, root: str) -> tuple[str, ...]:
        """See `MpsDaemons`."""
        return tuple(sorted(pipe for pipe in self._store.load().mps if pipe.startswith(f"{root.rstrip('/')}/")))

    def _owner(self, device: str) -> str:
        """The GPU of a device by its UUID, also of one that is gone by now."""
        gpus = self._store.load().gpus.values()
        owners = [gpu.uuid for gpu in gpus if device in {gpu.uuid, *(each.uuid for each in gpu.instances)}]
        return owners[0] if owners else device

    # --- what only a simulated host can ----------------------------------------------------------------------------
    def inject(self, fault: Fault) -> None:
        """Let something go wrong from now on; `lost` and `xid` at once."""
        uuid = self._uuid(fault.gpu)
        with self._store.change() as box:
            if fault.lost and uuid is not None:
                box[0] = _with(box[0], box[0].gpus[uuid].replaced(lost=True))
            if fault.xid is not None:
                pending = (*box[0].pending, (uuid, fault.xid, None))
                box[0] = msgspec.structs.replace(box[0], pending=pending)
                if uuid is not None:
                    gpu = box[0].gpus[uuid]
                    box[0] = _with(box[0], gpu.replaced(recovery=rules.after_xid(gpu.recovery, fault.xid)))
            if fault.call is not None:  # counts its calls from now
                calls = {key: count for key, count in box[0].calls.items() if key.split()[0] != CALLS[fault.call]}
                box[0] = msgspec.structs.replace(box[0], calls=calls)
        if fault.call is not None:
            self._faults.append(fault)

    @property
    def boots(self) -> int:
        """How often the machine was started."""
        return self._store.load().boots

    def reboot(self) -> None:
        """Start the machine again: no instances, no processes, no XIDs, MIG mode as the architecture keeps it."""
        with self._store.change() as box:
            gpus = {uuid: rules.rebooted(each, self._models[uuid].architecture) for uuid, each in box[0].gpus.items()}
            past = (*box[0].told, *self._untold(box[0]))
            box[0] = msgspec.structs.replace(
                box[0], boots=box[0].boots + 1, gpus=gpus, told=past, pending=(), seen=(), mps={}
            )
        self._hung.clear()

    # --- within ----------------------------------------------------------------------------------------------------
    def _geometry(self, gpu: str) -> Geometry | None:
        self._known(gpu)
        return geometry_of(self._models[gpu])

    def _known(self, gpu: str) -> None:
        if gpu not in self._models:
            raise GpuLost("no such GPU on this host", gpu=gpu, hint=f"it has {', '.join(self._models) or 'none'}")

    def _uuid(self, index: int | None) -> str | None:
        return None if index is None else uuid_of(self.file, index)

    def _untold(self, state: HostState) -> dict[int, tuple[str | None, int, int | None]]:
        """The XIDs of the file that nobody was told yet, by the numbers of their faults."""
        return {
            number: (self._uuid(fault.gpu), fault.xid, None)
            for number, fault in enumerate(self._faults)
            if fault.xid is not None and number not in state.told
        }

    def _unreadable(self, gpu: str, message: str, hint: str = "", silence: Silence = Silence.UNTOLD) -> Unreadable:
        index = self._order[gpu]
        trouble = Trouble(message=message, hint=hint, gpu=self._where(gpu))
        return Unreadable(index=index, trouble=trouble, pci=pci_of(self.file, index), uuid=gpu, silence=silence)

    def _where(self, gpu: str) -> str:
        return f"gpu {self._order[gpu]} ({pci_of(self.file, self._order[gpu])})"

    def _before(self, call: str, gpu: str, *, lost_too: bool = False) -> Refused | None:
        """What every call that changes something meets first."""
        self._known(gpu)
        refused = self._strike(call, gpu, lost_too=lost_too)
        if refused is None and not self.file.privileged:
            message = "this needs root, or the capability of MIG's configuration"
            return Refused(why=Why.NO_PERMISSION, message=message, code=rules.NVML_NO_PERMISSION)
        return refused

    def _strike(self, call: str, gpu: str, *, lost_too: bool = False) -> Refused | None:
        """Let the faults come that this call meets.

        Raises:
            GpuLost: the GPU is.
            Hung: the call takes too long, or one before did.
        """
        if gpu in self._hung:
            raise Hung("a call before didn't return", gpu=gpu, hint="its GPU isn't asked again before `release`")
        for fault in self._meeting(call, gpu):
            if fault.slow_ms is not None:
                sleep(min(fault.slow_ms / 1000, self._limit))
                if fault.slow_ms / 1000 > self._limit:
                    self._hung.add(gpu)
                    raise Hung(f"{call} didn't return within {self._limit:g} s", gpu=gpu, hint="see the kernel's log")
            if fault.refused is not None:
                return Refused(why=Why(fault.refused), message="as the host's file says")
        if self._store.load().gpus[gpu].lost and not lost_too:
            raise GpuLost("the GPU is lost", gpu=gpu, hint="fell off the bus: reboot the machine", code=15)
        return None

    def _meeting(self, call: str, gpu: str) -> list[Fault]:
        concerned = [fault for fault in self._faults if fault.call is not None and CALLS[fault.call] == call]
        if not concerned:
            return []
        with self._store.change() as box:
            calls = dict(box[0].calls)
            for key in (call, f"{call} {gpu}"):
                calls[key] = calls.get(key, 0) + 1
            box[0] = msgspec.structs.replace(box[0], calls=calls)
        met: list[Fault] = []
        for fault in concerned:
            count = calls[call if fault.gpu is None else f"{call} {gpu}"]
            if self._uuid(fault.gpu) in {None, gpu} and fault.nth in {None, count}:
                met.append(fault)
        return met


def _with(state: HostState, gpu: GpuState) -> HostState:
    return msgspec.structs.replace(state, gpus={**state.gpus, gpu.uuid: gpu})


def _xid(each: tuple[str | None, int | None, int | None]) -> Xid:
    gpu, number, gi = each
    return Xid(gpu=gpu, number=number or 0, gi=gi)
