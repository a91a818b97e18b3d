"""Kubernetes' own gangs: pods that are placed together or not at all (gates GenericWorkload and GangScheduling).

An API server without the gates keeps neither the groups nor what pods say of theirs, so that objects which have both
prove them on. From the sources of 1.35 to 1.37; the words of 1.36 are measured. Constraints on topology aren't judged,
nor is, from 1.37, the preemption for a group as a whole.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from aliquot.kube.groups import KUBERNETES, GangWorkload, PodGroup
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.message import sentence
from aliquot.scheduling.outcome import GangState, Placement, Refusal, Verdict
from aliquot.snapshot.snapshot import Snapshot

FIRST_WITH_GANGS = 35
FIRST_WITH_GROUPS = 36
"""PodGroup objects, and a cycle of their own for them."""
FIRST_COUNTING = 37
"""The message counts, and single pods of a group preempt nobody."""
UNSCHEDULABLE = "pod group is unschedulable"
WAITING = (
    "waiting for minCount pods from a gang to be scheduled, "
    "one or more plugins asked to wait and no plugin rejected pod"
)
PREEMPTING = "pod group is waiting for preemption to complete"
NO_VICTIMS = "pod group preemption: No preemption victims found for incoming preemptor"

Judge = Callable[[Snapshot, Pod], Verdict]
Assume = Callable[[Snapshot, Pod, str], Snapshot | None]


@dataclass(frozen=True, slots=True)
class Gang:
    """A group and its pods."""

    key: str
    """`namespace/name` of the PodGroup; in 1.35 `namespace/workload/group`."""
    least: int | None
    """How many must be placed together; None: it's no gang."""
    members: tuple[Pod, ...]
    """All that have not ended."""
    absent: bool = False
    """It's known that there's no such group."""
    topology: bool = False


def gang_of(snapshot: Snapshot, pod: Pod, kubernetes: Kubernetes) -> Gang | None:
    """A pod's group; None: it has none, or the input doesn't tell."""
    name = pod.scheduling_group
    if not name or kubernetes.minor < FIRST_WITH_GANGS:
        return None
    if pod.group_workload:
        workload = snapshot.objects(GangWorkload).get(f"{pod.namespace}/{pod.group_workload}")
        key = f"{pod.namespace}/{pod.group_workload}/{name}"
        held = f"Workload.{KUBERNETES}" in snapshot.kinds
        least = dict(workload.groups).get(name) if workload is not None else None
        known = workload is not None and name in dict(workload.groups)
        topology = False
    else:
        group = snapshot.objects(PodGroup).get(f"{KUBERNETES}/{pod.namespace}/{name}")
        key = f"{pod.namespace}/{name}"
        held = f"PodGroup.{KUBERNETES}" in snapshot.kinds
        least, known = (group.least, True) if group is not None else (None, False)
        topology = group is not None and group.topology
    if not known and not held:
        return None
    return Gang(key, least, _members(snapshot, pod), absent=not known, topology=topology)


def _members(snapshot: Snapshot, pod: Pod) -> tuple[Pod, ...]:
    together = (pod.namespace, pod.group_workload, pod.scheduling_group)
    groups = snapshot.recall("gangs", _groups)
    return groups.get(together, ())


def _groups(snapshot: Snapshot) -> dict[tuple[str, str, str], tuple[Pod, ...]]:
    found: dict[tuple[str, str, str], list[Pod]] = {}
    for pod in snapshot.pods.values():
        if pod.scheduling_group and not pod.terminal:
            found.setdefault((pod.namespace, pod.group_workload, pod.scheduling_group), []).append(pod)
    return {together: tuple(pods) for together, pods in found.items()}


def judged_together(
    snapshot: Snapshot, gang: Gang, kubernetes: Kubernetes, judge: Judge, assume: Assume
) -> dict[str, Verdict]:
    """What becomes of each member that waits, by its key: one after the other is tried beside those before it."""
    total = len(snapshot.nodes)
    waiting = sorted(
        (p for p in gang.members if not p.node_name and not p.terminating and not p.scheduling_gates),
        key=lambda p: (-p.priority, p.meta.created or ""),
    )
    least = gang.least or 1
    bound = sum(1 for pod in gang.members if pod.node_name)
    state = GangState(gang.key, least, len(gang.members), bound)
    if gang.absent or len(gang.members) < least:
        # PreEnqueue holds them back, which is written nowhere.
        return {pod.key: Refusal(pod.key, "pending", "", "", total, gang=state) for pod in waiting}
    found: dict[str, Verdict] = {}
    world, placed = snapshot, bound
    for at, pod in enumerate(waiting):
        verdict = judge(world, pod)
        if isinstance(verdict, Placement) and verdict.preemption and kubernetes.minor >= FIRST_COUNTING:
            verdict = Refusal(pod.key, "pending", "Unschedulable", verdict.message, total, by_node=verdict.by_node)
        found[pod.key] = verdict
        if isinstance(verdict, Refusal):
            if verdict.reason == "SchedulerError":
                return _failed(waiting, found, verdict, total, state)
            placed_or_not = placed + len(waiting) - at - 1
            if kubernetes.minor >= FIRST_COUNTING and placed_or_not < least:
                break
            continue
        node = verdict.preemption.node if verdict.preemption else verdict.nodes[0]
        victims = verdict.preemption.victims if verdict.preemption else ()
        after = assume(world.without_pods(victims), pod, node)
        if after is not None:
            world, placed = after, placed + 1
    state = replace(state, placed=placed)
    if placed >= least:
        return _fitting(found)
    return _refused(waiting, found, kubernetes, state, snapshot)


def _failed(
    waiting: list[Pod], found: dict[str, Verdict], fault: Refusal, total: int, state: GangState
) -> dict[str, Verdict]:
    text = f"failed to schedule other pod from a pod group: {fault.message}"
    others = {p.key: Refusal(p.key, "pending", "SchedulerError", text, total, gang=state) for p in waiting}
    return {**found, **others, fault.pod: replace(fault, gang=state)}


def _fitting(found: dict[str, Verdict]) -> dict[str, Verdict]:
    """The gang has room; if somebody has to go for it, all wait for that."""
    if not any(isinstance(verdict, Placement) and verdict.preemption for verdict in found.values()):
        return found
    text = f"{UNSCHEDULABLE}, {PREEMPTING}"
    return {
        key: replace(verdict, message=verdict.message or text) if isinstance(verdict, Placement) else verdict
        for key, verdict in found.items()
    }


def _refused(
    waiting: list[Pod], found: dict[str, Verdict], kubernetes: Kubernetes, state: GangState, snapshot: Snapshot
) -> dict[str, Verdict]:
    total = len(snapshot.nodes)
    if kubernetes.minor < FIRST_WITH_GROUPS:
        text, short = "", ""  # they wait at Permit until that times out
    elif kubernetes.minor < FIRST_COUNTING:
        text = short = f"{UNSCHEDULABLE}, {WAITING}"
    else:
        left = len(waiting) - len(found)
        short = (
            f"{UNSCHEDULABLE}, minCount ({state.least}) cannot be satisfied: {state.placed} scheduled, {left} remaining"
        )
        lowest = min((pod.priority for load in snapshot.loads() for pod in load.pods.values()), default=None)
        if lowest is None or waiting[0].priority <= lowest:
            short = f"{short}, {NO_VICTIMS}"
        text = f"{UNSCHEDULABLE}, {short}"
    told: dict[str, Verdict] = {}
    for pod in waiting:
        verdict = found.get(pod.key)
        if verdict is None:
            told[pod.key] = Refusal(pod.key, "pending", "Unschedulable", short, total, gang=state)
        elif isinstance(verdict, Refusal):
            own = verdict.message
            if kubernetes.minor >= FIRST_COUNTING and verdict.counts:
                own = sentence(total, verdict.counts)
            told[pod.key] = replace(verdict, message=own, gang=state)
        else:
            told[pod.key] = Refusal(
                pod.key, "pending", "Unschedulable" if text else "", text, total, gang=state, by_node=verdict.by_node
            )
    return told


def nobody_lower(snapshot: Snapshot, pod: Pod) -> bool:
    """No pod that has a node is of lower priority."""
    return all(there.priority >= pod.priority for load in snapshot.loads() for there in load.pods.values())
