"""Pods that wait, in front of one node: which it would take now, why not the others, and what would help there."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aliquot.advisor.alike import alike_groups
from aliquot.advisor.case import device_requests, is_extended
from aliquot.advisor.explain import explain_one
from aliquot.advisor.gpus import family
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.advisor.queue.shapes import shape_of
from aliquot.advisor.verdicts import asks, told, why
from aliquot.advisor.wayout import WayOut
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.outcome import NodeGroup
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

MOST_EXPLAINED = 6
"""Kinds of pods that ways out onto the node are sought for: each costs as much as explaining the pod."""


@dataclass(frozen=True, slots=True)
class Asking:
    """Pods of one kind that wait, before the node."""

    owner: OwnerRef
    pods: tuple[Pod, ...]
    asks: str
    reasons: tuple[str, ...]
    """Why the node doesn't take them; empty: it has room for the first of them now."""
    gated: bool
    blocked: str
    """Why room on the node isn't enough for the first of them, as `explain` tells it."""
    way: WayOut | None
    """The best way out that was tried and ends on this node."""
    sought: bool
    """Ways out were looked for."""

    @property
    def fits(self) -> bool:
        """The node would take the first of them now, and nothing that the input shows keeps it from running."""
        return not (self.reasons or self.gated or self.blocked)


def asking(
    snapshot: Snapshot, node: str, devices: bool, scheduler: Scheduler, spare: Snapshot | None
) -> tuple[Asking, ...]:
    """The pending pods that ask for devices of a kind that the node has, alike ones together."""
    kinds: dict[object, list[Pod]] = {}
    offers = {**snapshot.nodes[node].capacity, **snapshot.nodes[node].allocatable}
    families = {family(name) for name, amount in offers.items() if amount and is_extended(name)}
    for pod in snapshot.pending():
        if (pod.claims and devices) or any(family(name) in families for name in device_requests(pod)):
            kinds.setdefault(shape_of(snapshot, pod), []).append(pod)
    return tuple(_all(snapshot, node, kinds, scheduler, spare))


def _all(
    snapshot: Snapshot,
    node: str,
    kinds: Mapping[object, Sequence[Pod]],
    scheduler: Scheduler,
    spare: Snapshot | None,
) -> Iterator[Asking]:
    looked = 0
    for pods in kinds.values():
        first = pods[0]
        reasons = scheduler.reasons(snapshot, first, node)
        gated = bool(first.scheduling_gates)
        sought = bool(reasons) and not gated and looked < MOST_EXPLAINED
        way: WayOut | None = None
        blocked = ""
        if sought:
            looked += 1
            ways = explain_one(snapshot, first, scheduler, spare).ways_out
            way = next((one for one in ways if one.after.node == node), None)
        elif not reasons and not gated:
            story = explain_one(snapshot, first, scheduler, spare)
            blocked = "" if story.verdict == "placeable" else story.sentence
        told_of = in_words(node, reasons)
        yield Asking(owner_of(snapshot, first), tuple(pods), asks(first), told_of, gated, blocked, way, sought)


def in_words(node: str, reasons: tuple[Reason, ...]) -> tuple[str, ...]:
    """A node's reasons, as `explain pod` words them."""
    return tuple(
        dict.fromkeys(
            why(reason, group)
            for group in alike_groups([NodeGroup((node,), reasons)])
            for reason in told(group.reasons)
        )
    )
