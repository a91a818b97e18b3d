"""What an XID makes of a GPU's health.

The number of an XID says what NVIDIA's catalogue wants done (`devices.xids`), the policy what the operator wants.
154 is no fault of its own: it says that the driver's word on recovery has changed, and whoever hears it asks the GPU.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from aliquot.devices.survey import Xid
from aliquot.devices.xids import Action, words_of
from aliquot.node.health.faults import fault, joined
from aliquot.node.health.moments import Moment
from aliquot.node.health.policy import Policy
from aliquot.node.health.states import Fault, GpuHealth, Heard, NodeHealth, Weight
from aliquot.sharing.publish.health import XID

RECOVERY_CHANGED: Final = 154


def heard(health: NodeHealth, xids: Iterable[Xid], moment: Moment, policy: Policy) -> NodeHealth:
    """The state after XIDs; those of a GPU that the driver didn't name, or that isn't known, change nothing."""
    gpus = dict(health.gpus)
    for xid in xids:
        uuid = health.find(xid.gpu)
        if uuid is not None:
            gpus[uuid] = _after(gpus[uuid], xid, moment, policy)
    return replace(health, gpus=gpus)


def logged(one: GpuHealth, xids: Iterable[Xid], moment: Moment, policy: Policy) -> GpuHealth:
    """A GPU after those of the kernel's log that weren't taken in yet: once each, since the log gives no time.

    Where the driver has its own word on recovery, and wants nothing, what is past is only shown.
    """
    for xid in xids:
        if xid.number in one.logged:
            continue
        found = _fault(xid, moment, policy)
        if found is not None and found.weight is Weight.KEEPS_OFF and one.gpu.recovery is not None:
            found = replace(found, weight=Weight.SHOWN)
        faults = one.faults if found is None else joined(one.faults, found)
        one = replace(one, faults=faults, logged=(*one.logged, xid.number))
    return one


def _after(one: GpuHealth, xid: Xid, moment: Moment, policy: Policy) -> GpuHealth:
    once = one.logged if xid.number in one.logged else (*one.logged, xid.number)
    one = replace(one, logged=once)
    found = _fault(xid, moment, policy)
    if found is None:
        return one
    repeat = policy.repeats.get(xid.number)
    if repeat is not None:
        recent = tuple(
            each for each in one.recent if each.number != xid.number or moment.up - each.up <= repeat.within_s
        )
        one = replace(one, recent=(*recent, Heard(number=xid.number, up=moment.up)))
        times = sum(each.number == xid.number for each in one.recent)
        if times >= repeat.times and found.weight is Weight.SHOWN:
            often = f"{found.message} ({times} times within {_minutes(repeat.within_s)})"
            found = replace(found, weight=Weight.KEEPS_OFF, gi=None, message=often)
    return replace(one, faults=joined(one.faults, found))


def _fault(xid: Xid, moment: Moment, policy: Policy) -> Fault | None:
    """What it tells of; None: of nothing wrong."""
    action = policy.action_of(xid.number)
    if action is Action.IGNORE or xid.number == RECOVERY_CHANGED:
        return None
    words = words_of(xid.number)
    message = f"XID {xid.number}{f': {words}' if words else ''}"
    if action is Action.DRAIN:
        return fault(XID, str(xid.number), message, moment)
    return fault(XID, str(xid.number), message, moment, Weight.SHOWN, xid.gi)


def _minutes(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes} minutes" if minutes != 1 else "1 minute"
