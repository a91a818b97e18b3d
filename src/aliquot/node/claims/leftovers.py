"""MIG instances that aren't what they should be: halves that a crash left, and others' in the place of ours."""

from collections.abc import Iterable, Sequence

from aliquot.devices.survey import Survey
from aliquot.node.claims.entry import Entry, HeldDevice, instance_at
from aliquot.node.claims.refusal import Refusal, later
from aliquot.sharing.setup.steps import CreateInstance, DestroyInstance, Step, Target


def without_replaced(entry: Entry, survey: Survey) -> tuple[Step, ...]:
    """An entry's steps, without the creation of instances in whose place others' stand now: those aren't ours."""
    seen = {device.target: device.instance for device in entry.devices}
    return tuple(step for step in entry.steps if not _is_replaced(step, seen, survey))


def _is_replaced(step: Step, seen: dict[Target | None, str | None], survey: Survey) -> bool:
    if not isinstance(step, CreateInstance):
        return False
    target = Target(step.gpu, step.place)
    was, now = seen.get(target), instance_at(survey, target)
    return was is not None and now is not None and was != now


def repaired(recorded: Iterable[Step], survey: Survey) -> tuple[Step, ...]:
    """What to do first where an instance of ours is half there: a GPU instance without a compute instance."""
    halves = [step for step in recorded if isinstance(step, CreateInstance) and _half(survey, step)]
    return tuple(
        each
        for step in halves
        for each in (DestroyInstance(step.gpu, step.place), CreateInstance(step.gpu, step.place))
    )


def foreign_leftover(devices: Sequence[HeldDevice], recorded: Sequence[Step], survey: Survey) -> Refusal | None:
    """Why a device can't be used where half an instance lies in its place, and we haven't made it."""
    for device in devices:
        if device.gpu is None or device.place is None:
            continue
        step = CreateInstance(device.gpu, device.place)
        if step not in recorded and _half(survey, step):
            message = f"{device.device.device}: a GPU instance without a compute instance lies there, and isn't ours"
            return later(message, "whoever made it has to destroy it")
    return None


def _half(survey: Survey, step: CreateInstance) -> bool:
    gpu = survey.gpu(step.gpu)
    there = gpu.instances if gpu is not None else ()
    return any(each.placement == step.place and not each.compute for each in there)
