"""What a simulated GPU does when it's asked: NVML's own refusals, as pure steps from state to state.

Ids: a GPU instance's follows its place in memory (whole 0, halves from 1, quarters from 3, eighths from 7), as NVIDIA's
kernel modules number them for the 8-slice parts; a MIG UUID is a hash over the GPU and the place. NVML says neither in
its documents: a client reads them.
"""

from uuid import NAMESPACE_OID, uuid5

import msgspec

from aliquot.devices.gpu import ComputeMode, Recovery, TimeSlice
from aliquot.devices.hosts.protocol import MpsSettings, Refused, Why
from aliquot.devices.hosts.simulated.state import GpuState, HostState
from aliquot.devices.instances import ComputeInstance, Instance, MigMode, placements_of
from aliquot.devices.mig import Geometry, Placement, Profile, memory_of
from aliquot.devices.mig.board import board_of
from aliquot.devices.mig.legal_layouts import placement_in
from aliquot.devices.xids import Action, action_of

NVML_INVALID, NVML_NOT_SUPPORTED, NVML_NO_PERMISSION, NVML_NOT_FOUND = 2, 3, 4, 6
NVML_RESET_REQUIRED, NVML_IN_USE, NVML_NO_RESOURCES = 16, 19, 23
_OFF_THE_BUS = 79
_REBOOTS = frozenset({Recovery.REBOOT, Recovery.SYSTEM_REBOOT, Recovery.UNKNOWN})


def needs_reset(architecture: str | None) -> bool:
    """Whether a MIG mode change needs a GPU reset: on Ampere (A100, A30), not on Hopper and newer."""
    return architecture == "Ampere"


def set_mig_mode(
    state: GpuState, *, enabled: bool, architecture: str | None, clients: tuple[str, ...]
) -> tuple[GpuState, Refused | None]:
    """Switch MIG. A refusal may come with a changed state: the mode is pending then."""
    if state.mig is None:
        return state, Refused(why=Why.NOT_SUPPORTED, message="this GPU has no MIG", code=NVML_NOT_SUPPORTED)
    if not enabled and state.instances:
        there = f"MIG stays on while instances are there: {len(state.instances)}"
        return state, Refused(why=Why.IN_USE, message=there, code=NVML_IN_USE)
    if not needs_reset(architecture):
        return state.replaced(mig=MigMode(enabled, enabled)), None
    pending = state.replaced(mig=MigMode(state.mig.current, enabled))
    holders = holders_of(state, clients)
    if state.mig.current != enabled and holders:
        message = f"the mode is pending until the GPU is reset: it's held by {', '.join(holders)}"
        return pending, Refused(why=Why.IN_USE, message=message, code=NVML_IN_USE)
    return state.replaced(mig=MigMode(enabled, enabled)), None


def holders_of(state: GpuState, clients: tuple[str, ...]) -> tuple[str, ...]:
    """Who holds the GPU open."""
    return (*clients, *(f"process {process.pid}" for process in state.processes))


def create(
    state: GpuState, geometry: Geometry | None, place: Placement, *, fresh: bool
) -> tuple[GpuState, Instance | Refused]:
    """Create an instance.

    Args:
        state: the GPU.
        geometry: None where MIG can't cut this GPU.
        place: profile and start.
        fresh: whether an instance made anew has another UUID.
    """
    if geometry is None or state.mig is None:
        return state, Refused(why=Why.NOT_SUPPORTED, message="this GPU has no MIG", code=NVML_NOT_SUPPORTED)
    if not state.mig.current:
        return state, Refused(why=Why.MIG_OFF, message="MIG is off", code=NVML_NOT_SUPPORTED)
    profile = geometry.profile(place.profile)
    if profile is None or place.start not in profile.starts:
        known = f"{place.profile} starts at {', '.join(map(str, profile.starts))}" if profile else f"no {place.profile}"
        return state, Refused(why=Why.BAD_PLACEMENT, message=f"{place}: {known}", code=NVML_INVALID)
    if not state.instances and state.processes:
        message = f"the first instance needs an idle GPU: it's held by {', '.join(holders_of(state, ()))}"
        return state, Refused(why=Why.IN_USE, message=message, code=NVML_IN_USE)
    board, wanted = board_of(geometry), Placement(place.start, profile.name)
    taken = board.bits(placement_in(geometry, each) for each in placements_of(state.instances))
    if not board.free(taken) & board.bits([wanted]):
        return state, Refused(why=Why.NO_ROOM, message=f"no room for {wanted}", code=NVML_NO_RESOURCES)
    instance = _instance(state, geometry, profile, place.start, fresh=fresh)
    instances = tuple(sorted((*state.instances, instance), key=lambda each: each.start or 0))
    return state.replaced(instances=instances, created=state.created + 1), instance


def _instance(state: GpuState, geometry: Geometry, profile: Profile, start: int, *, fresh: bool) -> Instance:
    size, units = profile.memory_slices or 0, geometry.memory_units or 1
    number = instance_id(start, size, units)
    seed = f"{state.uuid}/{number}" + (f"/{state.created}" if fresh else "")
    compute = ComputeInstance(id=0, uuid=f"MIG-{uuid5(NAMESPACE_OID, seed)}", slices=profile.compute_slices)
    return Instance(
        id=number,
        profile=profile.name,
        profile_id=-1 if profile.profile_id is None else profile.profile_id,
        start=start,
        size=size,
        memory_mib=memory_of(profile).mib,
        compute=(compute,),
    )


def instance_id(start: int, size: int, units: int) -> int:
    """The id of a GPU instance by its place: the range of ids follows its share of the memory."""
    share = max(1, units // size) if size else units
    first = {1: 0, 2: 1, 3: 3, 4: 3}.get(share, 7)
    return first + start // max(size, 1)


def destroy(state: GpuState, number: int) -> tuple[GpuState, Refused | None]:
    """Destroy an instance by its id."""
    if state.mig is None or not state.mig.current:
        return state, Refused(why=Why.MIG_OFF, message="MIG is off", code=NVML_NOT_SUPPORTED)
    found = [each for each in state.instances if each.id == number]
    if not found:
        return state, Refused(why=Why.NOT_FOUND, message=f"no instance {number}", code=NVML_NOT_FOUND)
    holders = [f"process {process.pid}" for process in state.processes if process.gi == number]
    if holders:
        message = f"instance {number} is held by {', '.join(holders)}"
        return state, Refused(why=Why.IN_USE, message=message, code=NVML_IN_USE)
    return state.replaced(instances=tuple(each for each in state.instances if each.id != number)), None


def set_compute_mode(state: GpuState, mode: ComputeMode) -> tuple[GpuState, Refused | None]:
    """Set the compute mode."""
    if state.mig is not None and state.mig.current and mode is ComputeMode.EXCLUSIVE_PROCESS:
        message = f"no {mode.value} mode while MIG is on"
        return state, Refused(why=Why.NOT_SUPPORTED, message=message, code=NVML_NOT_SUPPORTED)
    return state.replaced(compute_mode=mode), None


def set_time_slice(state: GpuState, length: TimeSlice) -> tuple[GpuState, Refused | None]:
    """Set the time-slice."""
    if state.mig is not None and state.mig.current:
        return state, Refused(why=Why.NOT_SUPPORTED, message="no time-slice while MIG is on")
    return state.replaced(time_slice=length), None


def start_mps(state: HostState, settings: MpsSettings) -> tuple[HostState, Refused | None]:
    """Start an MPS daemon on devices that are there; CUDA shows it no GPU in MIG mode."""
    for device in settings.devices:
        gpu = state.gpus.get(device)
        if gpu is not None and gpu.mig is not None and gpu.mig.current:
            return state, Refused(why=Why.NOT_SUPPORTED, message=f"{device} is in MIG mode: MPS runs on its instances")
    if settings.pipe in state.mps:
        return state, None
    return msgspec.structs.replace(state, mps={**state.mps, settings.pipe: settings}), None


def reset(state: GpuState, clients: tuple[str, ...]) -> tuple[GpuState, Refused | None]:
    """Reset the GPU: instances go, a pending mode comes, and what the driver wanted is done, unless it's a reboot."""
    holders = holders_of(state, clients)
    if holders:
        message = f"the GPU is held by {', '.join(holders)}"
        return state, Refused(why=Why.IN_USE, message=message, code=NVML_IN_USE)
    mig = MigMode(state.mig.pending, state.mig.pending) if state.mig is not None else None
    left = state.recovery if state.recovery in _REBOOTS else Recovery.NONE
    return state.replaced(mig=mig, instances=(), lost=False, recovery=left), None


def after_xid(before: Recovery, number: int) -> Recovery:
    """What the driver wants after an XID: a reset before anything new may run, or a reboot where that wouldn't help."""
    if before in _REBOOTS or action_of(number) is not Action.DRAIN:
        return before
    return Recovery.REBOOT if number == _OFF_THE_BUS else Recovery.RESET


def rebooted(state: GpuState, architecture: str | None) -> GpuState:
    """The GPU after the machine was started again: only Ampere keeps its MIG mode, nothing keeps instances."""
    mig = state.mig
    if mig is not None:
        kept = mig.pending if needs_reset(architecture) else False
        mig = MigMode(kept, kept)
    return GpuState(uuid=state.uuid, mig=mig, created=state.created, persistence=state.persistence)
