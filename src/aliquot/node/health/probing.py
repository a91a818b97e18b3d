"""What a look at the whole host makes of its GPUs' health.

A GPU that was asked clears what it has overcome, one that is silent is judged by why it is, and one that has gone stays
until the machine is started again: what isn't there any more can't be told from what was lost before.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from aliquot.devices.gpu import Gpu, Recovery
from aliquot.devices.survey import Silence, Survey, Unreadable
from aliquot.node.health.faults import fault, joined, mended
from aliquot.node.health.hearing import logged
from aliquot.node.health.moments import Moment
from aliquot.node.health.policy import Policy
from aliquot.node.health.states import Fault, GpuHealth, NodeHealth, Weight
from aliquot.sharing.publish.health import LOST, MEMORY, RECOVERIES, RECOVERY, UNMONITORED, XID

_SILENT: Final = {Silence.LOST: "lost", Silence.HUNG: "hung", Silence.NOT_COUNTED: "not-counted"}


def begun(saved: NodeHealth, survey: Survey, moment: Moment, policy: Policy) -> NodeHealth:
    """The state at the start of the agent: what it was when the agent ended, and what the kernel's log has."""
    health = probed(saved, survey, moment, policy)
    gpus = {
        uuid: logged(one, (xid for xid in survey.xids if xid.gpu in {uuid, one.gpu.pci}), moment, policy)
        for uuid, one in health.gpus.items()
    }
    return replace(health, gpus=gpus)


def probed(health: NodeHealth, survey: Survey, moment: Moment, policy: Policy) -> NodeHealth:
    """The state after everything was asked."""
    gpus: dict[str, GpuHealth] = {
        gpu.uuid: _answering(health.gpus.get(gpu.uuid), gpu, moment, policy) for gpu in survey.gpus
    }
    for each in survey.unreadable:
        uuid = _known(health, each)
        if uuid is not None and uuid not in gpus and survey.driver is not None:
            gpus[uuid] = _silent(health.gpus[uuid], each.silence, each.trouble.message, moment)
    why = str(survey.troubles[0]) if survey.driver is None and survey.troubles else ""
    silence = (survey.driver_silence if survey.driver is None else None) or Silence.LOST
    for uuid, old in health.gpus.items():
        if uuid not in gpus and (survey.driver is None or old.boot == moment.boot):
            gpus[uuid] = _silent(old, silence, why or "the driver doesn't count it any more", moment)
    ordered = dict(sorted(gpus.items(), key=lambda pair: (pair[1].gpu.index, pair[0])))
    return NodeHealth(gpus=ordered, driver=survey.driver or health.driver, blind=why)


def blinded(health: NodeHealth, why: str, moment: Moment) -> NodeHealth:
    """The state after nothing could be asked: no answer came back at all."""
    gpus = {uuid: _silent(old, Silence.HUNG, why, moment) for uuid, old in health.gpus.items()}
    return replace(health, gpus=gpus, blind=why)


def was_reset(health: NodeHealth, gpu: str) -> NodeHealth:
    """The state after this agent has reset a GPU; the next look tells whether it's good again."""
    old = health.gpus.get(gpu)
    if old is None:
        return health
    return replace(health, gpus={**health.gpus, gpu: replace(old, faults=mended(old.faults))})


# --- a GPU that answers --------------------------------------------------------------------------------------------
def _answering(old: GpuHealth | None, gpu: Gpu, moment: Moment, policy: Policy) -> GpuHealth:
    kept = _lasting(gpu)
    if old is None:
        old = GpuHealth(gpu=kept, boot=moment.boot)
    again = old.boot != moment.boot
    faults = mended(old.faults) if again or _was_reset(old, gpu) else old.faults
    standing = {each.what: each for each in faults if each.key in {RECOVERY, MEMORY}}
    there = {None, *(instance.id for instance in gpu.instances)}
    left = tuple(
        each for each in faults if each.key == XID and each.gi in there and not _over(each, gpu, moment, policy)
    )
    for found in _states(gpu, moment):
        since = standing[found.what].since if found.what in standing else found.since
        left = joined(left, replace(found, since=since))
    return GpuHealth(
        gpu=kept,
        boot=moment.boot,
        faults=left,
        recent=() if again else old.recent,
        logged=() if again else old.logged,
    )


def _lasting(gpu: Gpu) -> Gpu:
    """A GPU without what is of the moment."""
    memory = replace(gpu.memory, used=0) if gpu.memory is not None else None
    return replace(
        gpu,
        memory=memory,
        processes=(),
        processes_unknown=False,
        partial=(),
        throttled=None,
        temperature_c=None,
        power_w=None,
        utilisation_percent=None,
    )


def _was_reset(old: GpuHealth, gpu: Gpu) -> bool:
    """Whether a GPU was reset, or its driver loaded again, since the last look.

    It came back from where only that brings it back, its count of memory errors since the driver was loaded went
    down, or the driver no longer wants what it wanted.
    """
    back = old.silence in {Silence.LOST, Silence.NOT_COUNTED}
    before, after = old.gpu.uncorrected_errors, gpu.uncorrected_errors
    fewer = before is not None and after is not None and after < before
    wanted = any(each.key == RECOVERY for each in old.faults) and gpu.recovery is Recovery.NONE
    return back or fewer or wanted


def _over(one: Fault, gpu: Gpu, moment: Moment, policy: Policy) -> bool:
    """Whether what an XID told of is over, on a GPU that answers."""
    ago = moment.since(one.up, one.boot)
    started_again, reset = ago is None, one.mended
    if one.weight is Weight.SHOWN:
        return started_again or reset or (ago is not None and ago >= policy.shown_s)
    if gpu.recovery not in {None, Recovery.NONE} or gpu.rows_failed or gpu.uncorrected_errors:
        return False
    if started_again or (reset and policy.after_reset):
        return True
    by_time = policy.drained_s is not None and ago is not None and ago >= policy.drained_s
    return by_time and gpu.recovery is Recovery.NONE


def _states(gpu: Gpu, moment: Moment) -> Iterator[Fault]:
    """What is wrong for as long as the driver says so."""
    if gpu.recovery is not None and gpu.recovery is not Recovery.NONE:
        words = f"the driver wants: {gpu.recovery.value}"
        yield fault(RECOVERY, RECOVERIES[gpu.recovery], words, moment)
    if gpu.rows_failed:
        yield fault(MEMORY, "row-remap-failed", "a memory row couldn't be remapped", moment)
    if gpu.rows_pending:
        words = "a memory row waits to be remapped: reset the GPU when convenient"
        yield fault(MEMORY, "row-remap-pending", words, moment, Weight.SHOWN)
    if gpu.uncorrected_errors:
        words = "uncorrected memory errors since the driver was loaded: reset the GPU when convenient"
        yield fault(MEMORY, "uncorrected-errors", words, moment, Weight.SHOWN)


# --- a GPU that doesn't ----------------------------------------------------------------------------------------------
def _known(health: NodeHealth, each: Unreadable) -> str | None:
    """Which GPU it is: a lost one may be known by its number alone, which stays as long as the driver is loaded."""
    uuid = health.find(each.uuid) or health.find(each.pci)
    if uuid is None and each.pci is None and each.index is not None:
        return next((uuid for uuid, one in health.gpus.items() if one.gpu.index == each.index), None)
    return uuid


def _silent(old: GpuHealth, silence: Silence, words: str, moment: Moment) -> GpuHealth:
    """With its silence; what was wrong with it stays, since it can't be asked."""
    found = _silence(silence, words, moment)
    others = tuple(each for each in old.faults if each.key not in {LOST, UNMONITORED} or each.what == found.what)
    return replace(old, silence=silence, words=words, faults=joined(others, found))


def _silence(silence: Silence, words: str, moment: Moment) -> Fault:
    if silence in _SILENT:
        return fault(LOST, _SILENT[silence], words, moment)
    return fault(UNMONITORED, "not-told", words, moment, Weight.SHOWN)
