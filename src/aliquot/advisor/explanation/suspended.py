"""A Job that somebody suspended: resumed, would its pods be placed, and if not, with what else?"""

import json
import shlex

from aliquot.advisor.explanation.refused import refused
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.search import way_of
from aliquot.advisor.wayout import After, Candidate, Change, Risk, WayOut
from aliquot.advisor.wishes import Wishes
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Workload
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

QUEUE = "kueue.x-k8s.io/queue-name"
"""Jobs with this label are suspended and resumed by Kueue."""


def resumed(
    snapshot: Snapshot,
    pod: Pod,
    maker: Workload | None,
    scheduler: Scheduler,
    node_groups: Snapshot | None,
    wishes: Wishes,
) -> tuple[WayOut, ...]:
    """Ways to have its pods run; none for what isn't a suspended Job, or one whose queue decides."""
    if maker is None or maker.kind != "Job" or not maker.suspended or QUEUE in maker.meta.labels:
        return ()
    owner = OwnerRef("Job", maker.meta.namespace, maker.meta.name)
    decision = scheduler.judge(snapshot, pod)
    if isinstance(decision, Placement):
        node = decision.preemption.node if decision.preemption is not None else next(iter(decision.nodes), "")
        victims = decision.preemption.victims if decision.preemption is not None else ()
        step = _resume(owner, After(node, victims))
        return (way_of((step,), After(node, victims)),) if wishes.allow(step) else ()
    step = _resume(owner, None)
    if not wishes.allow(step):
        return ()
    ways = refused(snapshot, pod, owner, scheduler, decision, (), node_groups, wishes).ways_out
    return tuple(way_of((*way.steps, step), way.after) for way in ways)


def _resume(owner: OwnerRef, tried: After | None) -> Candidate:
    where = f"kubectl patch job {shlex.quote(owner.name)} -n {shlex.quote(owner.namespace)} --type merge -p"

    def command(*, suspend: bool) -> str:
        return f"{where} {shlex.quote(json.dumps({'spec': {'suspend': suspend}}, separators=(',', ':')))}"

    return Candidate(
        kind="resume",
        target=owner.short,
        title=f"Resume {owner.short}, which somebody suspended",
        changes=(Change(owner.full, command(suspend=False), {"spec": {"suspend": False}}, command(suspend=True)),),
        apply=lambda trial: trial,
        risk=Risk("medium", "somebody suspended it for a reason: ask which"),
        rank=3,
        tried=tried,
    )
