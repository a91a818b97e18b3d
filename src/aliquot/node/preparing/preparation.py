"""One claim prepared, with its locks held: planned, remembered, carried out, injected, remembered again, answered."""

from dataclasses import replace

from aliquot.cdi.host_check import check_host
from aliquot.devices.survey import Survey
from aliquot.node.claims.asked import Asked
from aliquot.node.claims.entry import Entry, State, instance_at
from aliquot.node.claims.holders import HeldBy
from aliquot.node.claims.leaving import after_reboot
from aliquot.node.claims.names import gpus_named
from aliquot.node.claims.planning import Here, Plan, plan_claim
from aliquot.node.claims.refusal import Refusal, later
from aliquot.node.claims.spec import spec_of
from aliquot.node.preparing.answers import Prepared, answer
from aliquot.node.preparing.parts import Parts
from aliquot.node.preparing.undoing import Stuck, undone
from aliquot.sharing.setup.carry_out import Failed, carry_on
from aliquot.sharing.setup.steps import CreateInstance


def prepare(asked: Asked, parts: Parts) -> Prepared | HeldBy | Refusal:
    """Set a claim's devices up, or find that they are; every time its spec is written, and held against the host."""
    foreign = parts.specs.foreign(asked.claim.uid)
    if foreign is not None:
        return Refusal(f"another driver has prepared claim {asked.claim}: {foreign}", "its pods have to end first")
    refused = _fresh(asked, parts)
    if refused is not None:
        return refused
    survey = parts.host.survey()
    named = gpus_named(asked, survey)
    here = Here(
        boot=parts.boot,
        survey=survey,
        geometries=parts.geometries_of(tuple(gpu.uuid for gpu in named)),
        mps_root=parts.mps_root,
    )
    plan = plan_claim(asked, parts.checkpoint.now, here)
    return _carried_out(plan, survey, parts) if isinstance(plan, Plan) else plan


def prepared_again(entry: Entry, parts: Parts) -> Prepared | Refusal:
    """A claim that is prepared, whose object can't be read just now: its spec is written again."""
    notes = write_spec(entry, parts.host.survey(), parts)
    return notes if isinstance(notes, Refusal) else answer(entry, notes)


def write_spec(entry: Entry, survey: Survey, parts: Parts) -> tuple[str, ...] | Refusal:
    """Write a claim's spec, if it fits the host; what the claim doesn't get by it."""
    inventory = parts.files.inventory(survey)
    made = spec_of(entry, inventory, survey, parts.options)
    if isinstance(made, Refusal):
        return made
    wrong = [
        finding.problem for finding in check_host(made.spec, parts.files.host(inventory)) if finding.severity == "error"
    ]
    if wrong:
        return later(f"the CDI spec of claim {entry.claim} wouldn't fit this host: {'; '.join(map(str, wrong))}")
    refused = parts.specs.write(entry.claim.uid, made.spec)
    return made.notes if refused is None else refused


def _fresh(asked: Asked, parts: Parts) -> Refusal | None:
    """Have the claim's entry be one of this boot and of this allocation, if there is one."""
    entry = parts.checkpoint.now.entries.get(asked.claim.uid)
    if entry is None:
        return None
    same = entry.asks == frozenset((each.device, each.request, each.share_id, each.admin) for each in asked.devices)
    if same:
        here = after_reboot(entry, parts.boot)
        return None if here is entry else parts.checkpoint.put(here)
    stuck = undone(entry, parts)
    if isinstance(stuck, Stuck):
        return stuck.refusal
    return stuck or parts.checkpoint.forget(asked.claim.uid)


def _carried_out(plan: Plan, survey: Survey, parts: Parts) -> Prepared | Refusal:
    entry, checkpoint = plan.entry, parts.checkpoint
    if checkpoint.now.entries.get(entry.claim.uid) != entry:
        refused = checkpoint.put(entry)
        if refused is not None:
            return refused
    done = carry_on(plan.steps, parts.host, parts.daemons)
    if isinstance(done, Failed):
        return _given_up(entry, later(f"{done.step}: {done.why.message}"), parts)
    if any(isinstance(step, CreateInstance) for step in plan.steps):
        survey = parts.host.survey()
    found = _with_instances(entry, survey)
    notes = write_spec(found, survey, parts)
    if isinstance(notes, Refusal):
        return _given_up(found, notes, parts)
    completed = replace(found, state=State.COMPLETED)
    if completed != entry:
        refused = checkpoint.put(completed)
        if refused is not None:
            return _given_up(entry, refused, parts)
    return answer(completed, (*plan.notes, *notes))


def _with_instances(entry: Entry, survey: Survey) -> Entry:
    """With the UUIDs of its instances."""
    devices = tuple(
        device
        if device.place is None or device.target is None
        else replace(device, instance=instance_at(survey, device.target))
        for device in entry.devices
    )
    return replace(entry, devices=devices)


def _given_up(entry: Entry, refusal: Refusal, parts: Parts) -> Refusal:
    """Undo a preparation that failed; one that was complete before stays as it is: its containers may run."""
    if entry.state is State.COMPLETED:
        return refusal
    stuck = undone(entry, parts)
    if isinstance(stuck, Stuck):
        return refusal.and_then(stuck.refusal.message)
    forgotten = stuck or parts.checkpoint.forget(entry.claim.uid)
    return refusal.and_then(forgotten.message if forgotten is not None else "")
