"""From the checkpoint, what a claim asks, and the host as it stands: the steps that set its devices up, or why not.

The plan for each group of devices is `sharing.setup`'s. What stands here follows from a node that goes on: other
claims, an earlier try of the same one, and what a step must leave behind when it's undone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

from aliquot.devices.gpu import ComputeMode, TimeSlice
from aliquot.devices.mig import Geometry
from aliquot.devices.survey import Survey
from aliquot.node.claims.asked import Asked, AskedDevice
from aliquot.node.claims.checkpoint import Checkpoint
from aliquot.node.claims.entry import Entry, HeldDevice, State
from aliquot.node.claims.holders import HeldBy, held_by
from aliquot.node.claims.leftovers import foreign_leftover, repaired, without_replaced
from aliquot.node.claims.names import held_devices
from aliquot.node.claims.refusal import Refusal
from aliquot.sharing.claim_configs.values import Mps
from aliquot.sharing.legal import Use
from aliquot.sharing.setup.plan import MPS_ROOT, CannotSetUp, Request, SetUp, plan
from aliquot.sharing.setup.steps import (
    CreateInstance,
    SetComputeMode,
    SetMigMode,
    SetTimeSlice,
    StartMps,
    Step,
)

_ORDER: Final = (SetMigMode, CreateInstance, SetComputeMode, SetTimeSlice, StartMps)
"""What has to be there before what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """The node at one moment."""

    boot: str
    survey: Survey
    geometries: Mapping[str, Geometry] = field(default_factory=dict[str, Geometry])
    """How MIG may cut the GPUs that are asked for, by UUID."""
    mps_root: str = MPS_ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be done."""

    entry: Entry
    """As it's to be remembered before anything is done."""
    steps: tuple[Step, ...]
    """To be carried out now; each is harmless where it was done already."""
    notes: tuple[str, ...] = ()
    """What the claim asks for and doesn't get."""


def plan_claim(asked: Asked, checkpoint: Checkpoint, here: Here) -> Plan | HeldBy | Refusal:
    """How a claim's devices are set up.

    Args:
        asked: what it asks.
        checkpoint: what this node holds; it may have an entry of the claim, from this boot and for the same devices.
        here: the node as it stands.
    """
    devices = held_devices(asked, here.survey, here.geometries)
    if isinstance(devices, Refusal):
        return devices
    others = checkpoint.others(asked.claim.uid)
    held = held_by(devices, others)
    if held is not None:
        return held
    prior = checkpoint.entries.get(asked.claim.uid)
    recorded = without_replaced(prior, here.survey) if prior is not None else ()
    leftover = foreign_leftover(devices, recorded, here.survey)
    if leftover is not None:
        return leftover
    uses = tuple(device.use for entry in others for device in entry.devices if device.use is not None)
    completed = prior is not None and prior.state is State.COMPLETED
    now = replace(here, survey=_without_programs(here.survey)) if completed else here
    needed = _set_up(asked, devices, uses, now)
    if isinstance(needed, Refusal):
        return needed
    steps, notes = needed
    everything = in_order((*recorded, *steps))
    entry = Entry(
        claim=asked.claim,
        boot=here.boot,
        state=State.COMPLETED if completed else State.STARTED,
        devices=devices if prior is None else _known(devices, prior),
        steps=everything,
    )
    first = repaired(recorded, here.survey)
    return Plan(entry=entry, steps=(*first, *(steps if completed else everything)), notes=notes)


def in_order(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Each step once, in the order in which they rest on each other."""
    return tuple(sorted(dict.fromkeys(steps), key=lambda step: _ORDER.index(type(step))))


def _known(devices: Sequence[HeldDevice], prior: Entry) -> tuple[HeldDevice, ...]:
    """With the instances that were seen before."""
    seen = {device.target: device.instance for device in prior.devices}
    return tuple(replace(device, instance=seen.get(device.target)) for device in devices)


def _set_up(
    asked: Asked, devices: Sequence[HeldDevice], uses: tuple[Use, ...], here: Here
) -> tuple[tuple[Step, ...], tuple[str, ...]] | Refusal:
    steps: list[Step] = []
    notes: list[str] = []
    wrong: list[str] = []
    for number, (group, members) in enumerate(_groups(asked.devices, devices)):
        targets = tuple(dict.fromkeys(held.target for held in members if held.target is not None))
        if group.admin and group.config.sharing is not None:
            notes.append("admin access changes nothing on the devices")
        if group.admin or not targets:
            continue
        name = asked.claim.uid if number == 0 else f"{asked.claim.uid}-{number}"
        request = Request(name=name, targets=targets, config=group.config)
        beside = tuple(held.use for held in devices if held not in members and held.use is not None)
        answer = plan(request, here.survey, geometries=here.geometries, in_use=(*uses, *beside), mps_root=here.mps_root)
        if isinstance(answer, CannotSetUp):
            wrong += [_told(fault.path, fault.message, fault.hint) for fault in answer.faults]
        else:
            steps += _lasting(answer, request)
    if wrong:
        on = [device.device.device for device in devices]
        return Refusal(f"{', '.join(on)}: {'; '.join(dict.fromkeys(wrong))}", retry=True)
    return in_order(steps), tuple(dict.fromkeys(notes))


def _told(path: str, message: str, hint: str) -> str:
    said = f"{path}: {message}" if path else message
    return f"{said} ({hint})" if hint else said


def _groups(
    asked: Sequence[AskedDevice], devices: Sequence[HeldDevice]
) -> Iterator[tuple[AskedDevice, tuple[HeldDevice, ...]]]:
    pairs = sorted(zip(asked, devices, strict=True), key=lambda pair: pair[0].group)
    for _, found in groupby(pairs, key=lambda pair: pair[0].group):
        members = tuple(found)
        yield members[0][0], tuple(held for _, held in members)


def _without_programs(survey: Survey) -> Survey:
    """For a claim that is prepared: its own programs run on its devices."""
    return replace(survey, gpus=tuple(replace(gpu, processes=()) for gpu in survey.gpus))


def _lasting(answer: SetUp, request: Request) -> Iterator[Step]:
    """The steps of a plan, such that their undo leaves the GPU as a new claim expects it.

    What was there before isn't put back: it may be what a crash left. An MPS claim's GPU goes back to the default mode
    also where it was found exclusive.
    """
    exclusive = isinstance(request.config.sharing, Mps)
    for target in request.targets if exclusive else ():
        if target.place is None:
            yield SetComputeMode(target.gpu, ComputeMode.EXCLUSIVE_PROCESS, ComputeMode.DEFAULT)
    for step in answer.steps:
        match step:
            case SetComputeMode(gpu, mode, _):
                yield SetComputeMode(gpu, mode, ComputeMode.DEFAULT)
            case SetTimeSlice(gpu, length, _):
                yield SetTimeSlice(gpu, length, TimeSlice.DEFAULT)
            case _:
                yield step
