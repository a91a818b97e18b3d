"""A suspended Job: resumed, would its pods be placed, and if not, with what else? Or why its queue keeps it."""

import json
import shlex
from dataclasses import replace

from aliquot.advisor.causes.blocked import of_blocker
from aliquot.advisor.explanation.refused import refused
from aliquot.advisor.explanation.value import Explanation
from aliquot.advisor.owners import OwnerRef
from aliquot.advisor.search import way_of
from aliquot.advisor.wayout import Advice, After, Candidate, Change, Risk, WayOut
from aliquot.advisor.wishes import Wishes
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import QUEUE_LABEL, LocalQueue
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker
from aliquot.scheduling.blockers.find import workload_blockers
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


def resumed(
    snapshot: Snapshot,
    pod: Pod,
    maker: Workload | None,
    scheduler: Scheduler,
    node_groups: Snapshot | None,
    wishes: Wishes,
) -> tuple[WayOut, ...]:
    """Ways to have its pods run; none for what isn't a suspended Job, or one whose queue decides."""
    if maker is None or maker.kind != "Job" or not maker.suspended or QUEUE_LABEL in maker.meta.labels:
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


def in_queue(snapshot: Snapshot, pod: Pod, maker: Workload | None) -> Explanation | None:
    """Of a suspended Job that Kueue would resume: why it doesn't; None: that isn't known, or nobody's queue decides."""
    if maker is None or not maker.suspended:
        return None
    held = next((one for one in workload_blockers(snapshot, maker) if one.stage == "queue"), None)
    if held is None:
        return None
    named = f"{maker.kind} {maker.meta.namespace}/{maker.meta.name}"
    why = of_blocker(snapshot, held, pod)
    cause = replace(why, sentence=f"{named} is suspended until its queue admits it. {why.sentence}")
    owner = OwnerRef(maker.kind, maker.meta.namespace, maker.meta.name)
    advice: tuple[Advice, ...] = ()
    if held.kind == "queue-missing" and held.object.kind == "LocalQueue":
        advice = (_queue_named(snapshot, owner, held),)
    return Explanation(
        pod=pod, owner=owner, verdict="blocked", sentence=cause.sentence, cause=cause, advice=advice
    )  # fmt: skip


def _queue_named(snapshot: Snapshot, owner: OwnerRef, held: Blocker) -> Advice:
    """Another queue by its label, or the one that it names made."""
    there = sorted(
        one.meta.name for one in snapshot.objects(LocalQueue).values() if one.meta.namespace == owner.namespace
    )
    name = held.nearest or (there[0] if len(there) == 1 else "")
    if not name:
        text = f"Make LocalQueue {held.object.name} in {owner.namespace}, or name one that's there"
        return Advice(text, f"kubectl get localqueues -n {shlex.quote(owner.namespace)}")
    where = (
        f"kubectl label {owner.kind.lower()} {shlex.quote(owner.name)} -n {shlex.quote(owner.namespace)} --overwrite"
    )
    return Advice(
        f"Name LocalQueue {name}, which is there, or make LocalQueue {held.object.name}",
        f"{where} {QUEUE_LABEL}={shlex.quote(name)}",
    )


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
