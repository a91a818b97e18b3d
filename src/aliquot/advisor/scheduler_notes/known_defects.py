"""Defects of kube-scheduler patch releases that leave pods pending: which, where fixed, and how they're known.

From the issues of kubernetes/kubernetes and the release notes; a patch that isn't known proves nothing.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from aliquot.allocation.answer import DeviceReason, SelectorError, SelectorFalse
from aliquot.dra.device import DeviceId
from aliquot.kube.pod import Pod
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

LOOKED_AT = 16
"""Nodes whose devices are held against the claims, to see whether one is meant that consumes counters."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One defect. `applies` sees the cluster and the pod: whether it's on the path."""

    issue: str
    affected: tuple[tuple[int, int], ...]
    """(minor, first patch with the fix)."""
    says: str
    """What it does, for people."""
    applies: Callable[[Snapshot, Pod, Scheduler], bool]
    stops: bool
    """The pod can't come to run while the scheduler has it; False: a change gets around it."""

    def fixed_in(self, minor: int) -> str:
        """`1.36.2`."""
        return next((f"1.{one}.{patch}" for one, patch in self.affected if one == minor), "a later release")


def _all_with_counters(snapshot: Snapshot, pod: Pod, scheduler: Scheduler) -> bool:
    """A request of mode All that means a device which consumes counters, and nobody has told the pod anything yet."""
    if not pod.claims or (pod.scheduled is not None and pod.scheduled.message):
        return False
    counting = snapshot.recall("devices that consume counters", _counting)
    nodes = [name for name in counting if name in snapshot.nodes]
    stories = (scheduler.story(snapshot, pod, node) for node in nodes[:LOOKED_AT])
    return any(
        request.wanted is None
        and any(
            device.device in counting[node] and not any(map(_not_meant, device.reasons)) for device in request.devices
        )
        for node, story in zip(nodes, stories, strict=False)
        if story is not None
        for request in story.requests
    )


def _counting(snapshot: Snapshot) -> Mapping[str, frozenset[DeviceId]]:
    """Node -> its devices that consume counters."""
    found: dict[str, set[DeviceId]] = {}
    for one in snapshot.slices.values():
        for device in one.devices:
            if device.consumes and one.node_name:
                found.setdefault(one.node_name, set()).add(DeviceId(one.driver, one.pool, device.name))
    return {node: frozenset(devices) for node, devices in found.items()}


def _not_meant(why: DeviceReason) -> bool:
    return isinstance(why, SelectorFalse | SelectorError)


def _score_failed(_: Snapshot, pod: Pod, __: Scheduler) -> bool:
    said = pod.scheduled.message if pod.scheduled is not None else ""
    return "running Score plugins" in said and "number of allocations" in said


def _rule_without_selector(snapshot: Snapshot, pod: Pod, _: Scheduler) -> bool:
    rules = snapshot.taint_rules.values()
    return bool(pod.claims) and any(one.driver is None and one.pool is None and one.device is None for one in rules)


DEFECTS: tuple[Defect, ...] = (
    Defect(
        issue="kubernetes#138882",
        affected=((36, 2),),
        says="panics (crashes) when a claim asks for all devices (allocationMode All) and one consumes counters",
        applies=_all_with_counters,
        stops=True,
    ),
    Defect(
        issue="kubernetes#139016",
        affected=((35, 6), (36, 2)),
        says='fails in Score: "number of allocations is smaller than number of claims"',
        applies=_score_failed,
        stops=True,
    ),
    Defect(
        issue="kubernetes#141620",
        affected=((37, 1),),
        says="takes a DeviceTaintRule without a deviceSelector for one about every device",
        applies=_rule_without_selector,
        stops=False,
    ),
)


def defects(snapshot: Snapshot, pod: Pod, scheduler: Scheduler) -> Iterator[Defect]:
    """Those that this release has, as far as its patch is known, and that are on this pod's path."""
    kubernetes = scheduler.kubernetes
    if kubernetes.patch is None:
        return
    for one in DEFECTS:
        there = any(kubernetes.minor == minor and kubernetes.patch < fixed for minor, fixed in one.affected)
        if there and one.applies(snapshot, pod, scheduler):
            yield one
