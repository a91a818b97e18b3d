"""What is to be undone when a claim goes: what was done for it, but for what others still need, or what isn't there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from aliquot.devices.survey import Survey
from aliquot.node.claims.entry import Entry, State
from aliquot.node.claims.leftovers import without_replaced
from aliquot.sharing.setup.steps import CreateInstance, SetComputeMode, SetMigMode, SetTimeSlice, Step


@dataclass(frozen=True, slots=True)
class Leaving:
    """What becomes of a claim's steps."""

    undone: tuple[Step, ...]
    """To be undone, in reverse order."""
    heirs: Mapping[str, tuple[Step, ...]] = field(default_factory=dict[str, tuple[Step, ...]])
    """By the UID of claims that go on needing them: steps that those undo when they go."""


def leaving(entry: Entry, others: Iterable[Entry], survey: Survey, *, boot: str) -> Leaving:
    """What is undone when a claim goes.

    Args:
        entry: its entry.
        others: the entries of the other claims.
        survey: the host as it stands.
        boot: the id of this boot.
    """
    entry = after_reboot(entry, boot)
    staying = [each for each in others if each.boot == boot]
    heirs: dict[str, tuple[Step, ...]] = {}
    undone: list[Step] = []
    for step in without_replaced(entry, survey):
        heir = next((each for each in staying if _needs(each, step)), None)
        if heir is None:
            undone.append(step)
        else:
            heirs[heir.claim.uid] = (*heirs.get(heir.claim.uid, ()), step)
    return Leaving(tuple(undone), heirs)


def after_reboot(entry: Entry, boot: str) -> Entry:
    """An entry as it counts in this boot: of another one, only a MIG mode may be left; nothing is prepared any more.

    Instances, daemons, compute modes and time-slices last for a boot at most. An instance that is at the same place now
    was made by somebody else.
    """
    if entry.boot == boot:
        return entry
    kept = tuple(step for step in entry.steps if isinstance(step, SetMigMode))
    devices = tuple(replace(device, instance=None) for device in entry.devices)
    return replace(entry, boot=boot, state=State.WAITING, steps=kept, devices=devices)


def _needs(entry: Entry, step: Step) -> bool:
    """Whether a claim's devices rest on what a step did."""
    uses = [device.use for device in entry.devices if device.use is not None]
    if isinstance(step, (SetMigMode, SetComputeMode, SetTimeSlice)):
        return any(use.gpu == step.gpu for use in uses)
    return isinstance(step, CreateInstance) and any((use.gpu, use.place) == (step.gpu, step.place) for use in uses)
