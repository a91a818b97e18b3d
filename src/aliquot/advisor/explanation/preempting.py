"""Of a pod that preempts others to get its place: why there's none without that."""

from dataclasses import replace

from aliquot.advisor.alike import alike_groups
from aliquot.advisor.causes.diagnose import diagnose
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.spots import case_of
from aliquot.kube.pod import Pod
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


def no_room(snapshot: Snapshot, pod: Pod, owner: OwnerRef, scheduler: Scheduler, decision: Placement) -> str:
    """The cause that it would have if it preempted nobody; empty: it needs no preemption."""
    if decision.preemption is None:
        return ""
    then = scheduler.judge(snapshot, replace(pod, preemption_policy="Never"))
    if not isinstance(then, Refusal):
        return ""
    case = case_of(snapshot, pod, owner, scheduler, alike_groups(then.groups), then)
    return diagnose(snapshot, pod, then, case.stories, (), case.whole).sentence
