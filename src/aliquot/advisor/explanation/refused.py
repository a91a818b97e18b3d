"""Of pods that the scheduler refuses: who refuses, who holds what they ask for, and the ways out."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from aliquot.advisor.alike import Alike, alike_groups
from aliquot.advisor.case import Case, device_requests
from aliquot.advisor.causes.blocked import queue_of
from aliquot.advisor.causes.cause import listed
from aliquot.advisor.causes.diagnose import diagnose
from aliquot.advisor.explanation.notes import notes, waiting_for
from aliquot.advisor.explanation.value import Explanation, Possible
from aliquot.advisor.holders import holdings
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.remedies.table import advice as advice_for
from aliquot.advisor.search import ways_out
from aliquot.advisor.spots import case_of
from aliquot.advisor.wayout import Advice, WayOut
from aliquot.advisor.wishes import Wishes
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import ADMISSION_GATE, QUEUE_LABEL
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.filters.dynamic_resources import DYNAMIC_RESOURCES
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

ROOM = frozenset({"NodeResourcesFit", DYNAMIC_RESOURCES})
NODES_OF_HOLDERS = 12


def refused(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    decision: Refusal,
    blockers: tuple[Blocker, ...],
    node_groups: Snapshot | None,
    wishes: Wishes,
) -> Explanation:
    """The story of a pod that no node takes, or that a gate keeps from the queue."""
    wanted = device_requests(pod)
    exact = decision.groups
    groups = alike_groups(exact)
    if decision.verdict == "gated":
        ways: list[WayOut] = []
        case = None
        advice = [_ungated(snapshot, pod, gate) for gate in pod.scheduling_gates]
    else:
        case = case_of(snapshot, pod, owner, scheduler, groups, decision, node_groups)
        case = replace(case, blockers=blockers, wishes=wishes)
        ways = ways_out(case)
        advice = [*advice_for(case), *waiting_for(snapshot, pod, decision)]
    cause = diagnose(
        snapshot,
        pod,
        decision,
        case.stories if case is not None else {},
        blockers,
        case.whole if case is not None else {},
    )
    never = _kept_from_preempting(snapshot, pod, scheduler) if not any(one.decisive for one in blockers) else ""
    if never:
        cause = replace(cause, sentence=f"{cause.sentence} {never}")
    return Explanation(
        pod=pod,
        owner=owner,
        verdict=decision.verdict,
        sentence=cause.sentence,
        cause=cause,
        scheduler_message=decision.message,
        reason=decision.reason,
        groups=exact,
        alike=groups,
        holdings=holdings(snapshot, _nodes(case, groups), wanted, claims=bool(pod.claims)),
        ways_out=tuple(ways),
        advice=tuple(dict.fromkeys(advice)),
        not_checked=decision.not_checked,
        stories=case.stories if case is not None else {},
        conflict=_conflict(case),
        possible=_possible(case),
        note=notes(snapshot, pod, decision.message, decision.not_checked),
    )


def _ungated(snapshot: Snapshot, pod: Pod, gate: str) -> Advice:
    """Who takes a gate away; of Kueue's with what shows why it doesn't yet."""
    if gate != ADMISSION_GATE:
        return Advice(f"scheduling gate {gate}: whoever set it must take it away")
    where = shlex.quote(pod.namespace)
    queued = "its Workload says why it waits" if queue_of(snapshot, pod) else f"label {QUEUE_LABEL} names no queue"
    return Advice(
        f"Have Kueue admit it: that takes away {gate} ({queued})",
        f"kubectl get workloads.kueue.x-k8s.io,localqueues.kueue.x-k8s.io -n {where}",
    )


def _kept_from_preempting(snapshot: Snapshot, pod: Pod, scheduler: Scheduler) -> str:
    """Of a pod that preempts nobody, by its own policy, where that would place it; mostly nothing."""
    if pod.preemption_policy != "Never":
        return ""
    then = scheduler.judge(snapshot, replace(pod, preemption_policy="PreemptLowerPriority"))
    if not isinstance(then, Placement) or then.preemption is None:
        return ""
    return f"Its preemptionPolicy Never keeps it from preempting {listed(then.preemption.victims)}, of lower priority."


def _conflict(case: Case | None) -> tuple[str, ...]:
    """Of the first node where only devices are in the way."""
    if case is None:
        return ()
    only_devices = frozenset({DYNAMIC_RESOURCES})
    for spot in case.spots:
        if spot.node.name in case.stories and spot.problems == only_devices:
            return case.scheduler.conflict(case.snapshot, case.pod, spot.node.name)
    return ()


def _possible(case: Case | None) -> Possible | None:
    """Where the two allocators differ."""
    if case is None or not case.stories:
        return None
    nodes = [spot.node.name for spot in case.spots if spot.problems <= {DYNAMIC_RESOURCES}]
    found = case.scheduler.possible(case.snapshot, case.pod, nodes)
    if found is None:
        return None
    node, answer = found
    return Possible(node, tuple(str(one.device) for claim in answer.claims for one in claim.results))


def _nodes(case: Case | None, groups: Sequence[Alike]) -> list[str]:
    """Where holders matter: nodes that lack nothing but room; where there are none, those that ways were sought for."""
    short = [node for group in groups if {one.filter for one in group.reasons} <= ROOM for node in group.nodes]
    if short:
        return short
    return [spot.node.name for spot in case.spots][:NODES_OF_HOLDERS] if case is not None else []
