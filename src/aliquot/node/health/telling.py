"""What is told of a GPU's health: taints to the API server, the kubelet's health stream, the device plugin, people."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from aliquot.devices.survey import Silence, Survey
from aliquot.dra.device import Device, DeviceTaint
from aliquot.node.health.moments import rfc3339
from aliquot.node.health.policy import Policy
from aliquot.node.health.states import Fault, GpuHealth, NodeHealth, Weight
from aliquot.sharing.publish.health import LOST, MEMORY, RECOVERY, SHOWN, UNMONITORED, XID, Taints

LONGEST: Final = 1024
"""Of a message in the health stream: the kubelet shows no more."""


_ORDER: Final = (XID, RECOVERY, MEMORY, LOST, UNMONITORED)
"""Of what is told, whichever was found first."""


class Verdict(StrEnum):
    """As the health stream has it."""

    HEALTHY = "HEALTHY"
    UNHEALTHY = "UNHEALTHY"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Told:
    """Of one GPU."""

    taints: Taints
    verdict: Verdict
    message: str
    """Why; empty: nothing is wrong."""

    @property
    def healthy(self) -> bool:
        """For the device plugin, which knows no doubt."""
        return self.verdict is not Verdict.UNHEALTHY


@dataclass(frozen=True, slots=True)
class Status:
    """Of one device in the health stream."""

    device: str
    verdict: Verdict
    message: str


@dataclass(frozen=True, slots=True)
class News:
    """Something that has begun, or is over: a line of the log, an event."""

    gpu: str
    """Its UUID."""
    message: str
    good: bool


def told(health: NodeHealth, policy: Policy) -> dict[str, Told]:
    """By UUID."""
    return {uuid: _told(one, policy) for uuid, one in health.gpus.items()}


def taints_of(told_of: Mapping[str, Told]) -> dict[str, Taints]:
    """As `sharing.publish.options.Options.taints` takes them."""
    return {uuid: one.taints for uuid, one in told_of.items()}


def statuses(devices: Iterable[Device], told_of: Mapping[str, Told]) -> tuple[Status, ...]:
    """Of published devices: a MIG device is as healthy as its GPU."""
    return tuple(_status(device, told_of) for device in devices)


def remembered(survey: Survey, health: NodeHealth) -> Survey:
    """A survey as it's published: what is silent now is in it as it last stood, GPUs and their driver."""
    silent = {uuid: one for uuid, one in health.gpus.items() if one.silence is not None and survey.gpu(uuid) is None}
    places = {one.gpu.pci for one in silent.values()}
    left = tuple(each for each in survey.unreadable if each.uuid not in silent and each.pci not in places)
    known = sorted((*survey.gpus, *(one.gpu for one in silent.values())), key=lambda gpu: gpu.index)
    return replace(survey, driver=survey.driver or health.driver, gpus=tuple(known), unreadable=left)


def news(before: NodeHealth, after: NodeHealth) -> tuple[News, ...]:
    """What has changed."""
    return tuple(_news(before, after))


def _told(one: GpuHealth, policy: Policy) -> Told:
    ordered = sorted(one.faults, key=lambda each: _ORDER.index(each.key))
    heavy = [each for each in ordered if each.weight is Weight.KEEPS_OFF]
    light = [each for each in ordered if each.weight is Weight.SHOWN]
    instances = {each.gi: _taints([fault for fault in light if fault.gi == each.gi], policy) for each in light}
    of_gpu = _taints([*heavy, *(each for each in light if each.gi is None)], policy)
    verdict = Verdict.UNHEALTHY if heavy else Verdict.HEALTHY
    if not heavy and one.silence is Silence.UNTOLD:
        verdict = Verdict.UNKNOWN
    words = "; ".join(_words(each) for each in (*heavy, *light))
    message = words if len(words) <= LONGEST else f"{words[: LONGEST - 3]}..."
    return Told(Taints(of_gpu, {gi: own for gi, own in instances.items() if gi is not None}), verdict, message)


def _taints(faults: Iterable[Fault], policy: Policy) -> tuple[DeviceTaint, ...]:
    """The first of each key and effect: it stays the same, and so does its time, until that fault is over."""
    found: dict[tuple[str, str], DeviceTaint] = {}
    for each in faults:
        effect = policy.effect_of(each.key) if each.weight is Weight.KEEPS_OFF else SHOWN
        found.setdefault((each.key, effect), DeviceTaint(each.key, effect, each.value, rfc3339(each.since)))
    return tuple(found.values())


def _words(fault: Fault) -> str:
    return fault.message if fault.gi is None else f"instance {fault.gi}: {fault.message}"


def _status(device: Device, told_of: Mapping[str, Told]) -> Status:
    for name in ("parentUUID", "uuid"):
        attribute = device.attributes.get(name)
        if attribute is not None and (found := told_of.get(str(attribute.value))) is not None:
            return Status(device.name, found.verdict, found.message)
    return Status(device.name, Verdict.UNKNOWN, "")


def _news(before: NodeHealth, after: NodeHealth) -> Iterator[News]:
    for uuid, one in after.gpus.items():
        old = before.gpus.get(uuid)
        past = old.faults if old is not None else ()
        stood = {each.what for each in past}
        stands = {each.what for each in one.faults}
        for each in one.faults:
            if each.what not in stood:
                yield News(uuid, _words(each), good=False)
        for each in past:
            if each.what not in stands and not any((f.key, f.value) == (each.key, each.value) for f in one.faults):
                yield News(uuid, f"over: {_words(each)}", good=True)
    for uuid in before.gpus.keys() - after.gpus.keys():
        yield News(uuid, "the GPU is gone since the machine was started again", good=False)
