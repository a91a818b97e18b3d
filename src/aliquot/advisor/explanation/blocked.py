"""Of pods that have room, or a node, and don't come to run all the same."""

from collections.abc import Sequence

from aliquot.advisor.case import Case
from aliquot.advisor.causes.blocked import of_blocker
from aliquot.advisor.causes.cause import Cause
from aliquot.advisor.explanation import starting
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.scheduler_notes.known_defects import Defect
from aliquot.advisor.search import ways_out
from aliquot.advisor.wishes import Wishes
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.find import pod_blockers, workload_blockers
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

UNBLOCKING = ("fix-volume", "raise-quota", "fix-scheduler", "fix-driver", "label-node", "upgrade", "fewer-devices")
CRASHES = "container-crash"
"""Its pod is in the phase Running all the same."""


def blockers_of(snapshot: Snapshot, pod: Pod, maker: Workload | None) -> tuple[Blocker, ...]:
    """Beside the scheduler's filters; of a pod that was never made, why it wasn't."""
    created = workload_blockers(snapshot, maker) if maker is not None else ()
    return (*created, *pod_blockers(snapshot, pod))


def stopping(blockers: Sequence[Blocker], pod: Pod) -> Blocker | None:
    """What keeps a pod from coming to run for which there's room, or that has its node."""
    for one in blockers:
        if one.decisive or (one.kind == "other-scheduler" and not pod.node_name):
            return one
    return None


def blocked(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    decision: Placement,
    blockers: tuple[Blocker, ...],
    wishes: Wishes,
) -> Explanation:
    """There's room for it, or it has its node, and it doesn't come to run all the same."""
    cause = of_blocker(snapshot, blockers[0], pod)
    case = Case(snapshot, pod, owner, scheduler, (), blockers=tuple(dict.fromkeys(blockers)), wishes=wishes)
    return Explanation(
        pod=pod,
        owner=owner,
        verdict="blocked",
        sentence=cause.sentence,
        cause=cause,
        scheduler_message=decision.message if blockers[0].stage != "creation" else "",
        feasible=decision.nodes if decision.verdict == "placeable" else (),
        node=pod.node_name,
        ways_out=tuple(way for way in ways_out(case) if way.kind in UNBLOCKING),
        advice=tuple(dict.fromkeys(starting.advice(pod, blockers))),
        not_checked=decision.not_checked,
    )


def defective(
    snapshot: Snapshot,
    pod: Pod,
    owner: OwnerRef,
    scheduler: Scheduler,
    decision: Placement,
    defect: Defect,
    wishes: Wishes,
) -> Explanation:
    """A release of kube-scheduler that can't place what it should."""
    release = f"{scheduler.kubernetes}.{scheduler.kubernetes.patch}"
    sentence = (
        f"A known defect of kube-scheduler before {defect.fixed_in(scheduler.kubernetes.minor)} (it's taken to be "
        f"{release}): it {defect.says} ({defect.issue}); without it there's room for the pod."
    )
    case = Case(snapshot, pod, owner, scheduler, (), defect=defect, wishes=wishes)
    said = pod.scheduled.message if pod.scheduled is not None else ""
    return Explanation(
        pod=pod,
        owner=owner,
        verdict="pending" if said else "blocked",
        sentence=sentence,
        cause=Cause("known-defect", sentence, (defect.issue, release)),
        scheduler_message=said,
        feasible=decision.nodes,
        ways_out=tuple(way for way in ways_out(case) if way.kind in UNBLOCKING),
        not_checked=decision.not_checked,
    )
