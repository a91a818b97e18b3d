"""Kueue's reasons, in the order in which they are true.

A stopped queue comes first, for a Workload that waited before keeps its old message (Kueue 0.17).
"""

from collections.abc import Iterator

from aliquot.kube.conditions import Condition, condition_of
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import (
    ADMISSION_GATE,
    GROUP,
    JOB_UID_LABEL,
    QUEUE_LABEL,
    WORKLOAD_ANNOTATION,
    ClusterQueue,
    LocalQueue,
    QueuedWorkload,
)
from aliquot.kube.workload import Workload
from aliquot.scheduling.blockers.blocker import Blocker, Evidence, Kind, ObjectRef, condition_evidence
from aliquot.scheduling.blockers.nearest_name import nearest_name
from aliquot.snapshot.snapshot import Snapshot

NEVER = "maximum capacity"
"""In a message of Kueue's: more is asked than the queue can ever give."""


def kueue_blockers(snapshot: Snapshot, thing: Pod | Workload) -> Iterator[Blocker]:
    """Why Kueue doesn't let a pod or job in."""
    if isinstance(thing, Pod):
        if ADMISSION_GATE not in thing.scheduling_gates:
            return
    elif not thing.suspended or thing.complete:
        return
    workload = _workload(snapshot, thing)
    queue = workload.queue if workload else thing.meta.labels.get(QUEUE_LABEL, "")
    namespace = thing.meta.namespace
    found = next(_stopped(snapshot, namespace, queue, workload), None) if queue else None
    if found is None and workload is not None:
        found = _waiting(workload)
    if found is not None:
        yield found
    elif isinstance(thing, Pod):
        ref = _ref(workload) if workload else ObjectRef("Pod", namespace, thing.name)
        yield Blocker(kind="queue-waiting", stage="queue", object=ref, certain=False, subject=ADMISSION_GATE)


def _workload(snapshot: Snapshot, thing: Pod | Workload) -> QueuedWorkload | None:
    workloads = snapshot.objects(QueuedWorkload)
    meta = thing.meta
    named = meta.annotations.get(WORKLOAD_ANNOTATION)
    if named:
        return workloads.get(f"{meta.namespace}/{named}")
    uids = {meta.uid, *(owner.uid for owner in meta.owners)} - {""}
    names = {(owner.kind, owner.name) for owner in meta.owners}
    names.add(("Pod" if isinstance(thing, Pod) else thing.kind, meta.name))
    for workload in workloads.values():
        if workload.meta.namespace != meta.namespace:
            continue
        if workload.meta.labels.get(JOB_UID_LABEL) in uids:
            return workload
        for owner in workload.meta.owners:
            if owner.uid in uids if owner.uid and uids else (owner.kind, owner.name) in names:
                return workload
    return None


def _ref(workload: QueuedWorkload) -> ObjectRef:
    return ObjectRef(f"Workload.{GROUP}", workload.meta.namespace, workload.meta.name)


def _stopped(snapshot: Snapshot, namespace: str, name: str, workload: QueuedWorkload | None) -> Iterator[Blocker]:
    others = (_ref(workload),) if workload else ()
    local_ref = ObjectRef("LocalQueue", namespace, name)
    local = snapshot.objects(LocalQueue).get(f"{namespace}/{name}")
    if local is None:
        if "LocalQueue" in snapshot.kinds:
            names = [one.meta.name for one in snapshot.objects(LocalQueue).values() if one.meta.namespace == namespace]
            yield _blocker("queue-missing", local_ref, others, None, nearest=nearest_name(name, names))
        return
    cluster_ref = ObjectRef("ClusterQueue", "", local.cluster_queue)
    queue = snapshot.objects(ClusterQueue).get(local.cluster_queue)
    if queue is None:
        if "ClusterQueue" in snapshot.kinds:
            nearest = nearest_name(local.cluster_queue, snapshot.objects(ClusterQueue))
            yield _blocker("queue-missing", cluster_ref, (local_ref, *others), None, nearest=nearest)
    else:
        active = condition_of(queue.conditions, "Active")
        if queue.stop or (active is not None and active.status != "True"):
            yield _blocker("queue-stopped", cluster_ref, (local_ref, *others), active, subject=queue.stop)
    active = condition_of(local.conditions, "Active")
    if local.stop or (active is not None and active.status != "True"):
        yield _blocker("queue-stopped", local_ref, others, active, subject=local.stop)


def _blocker(
    kind: Kind,
    ref: ObjectRef,
    others: tuple[ObjectRef, ...],
    condition: Condition | None,
    *,
    subject: str = "",
    nearest: str = "",
) -> Blocker:
    if condition is not None:
        evidence = condition_evidence(ref, condition)
    elif kind == "queue-missing":
        evidence = Evidence(source="absence", about=ref)
    else:
        evidence = Evidence(source="object", about=ref, reason=subject)
    return Blocker(
        kind=kind, stage="queue", object=ref, others=others, evidence=(evidence,), subject=subject, nearest=nearest
    )


def _waiting(workload: QueuedWorkload) -> Blocker | None:
    """What the Workload itself says; None: it's admitted or has finished, or says nothing."""
    ref = _ref(workload)
    said = {condition.type: condition for condition in workload.conditions}
    if _is(said, "Finished", "True") or (workload.active and _is(said, "Admitted", "True")):
        return None
    if not workload.active:
        return _blocker("deactivated", ref, (), said.get("Evicted") or said.get("QuotaReserved"))
    reserved = said.get("QuotaReserved")
    if reserved is not None and reserved.status != "True":
        return _blocker(_kind(reserved), ref, (), reserved, subject=reserved.reason)
    for name, state, message in workload.checks:
        if state != "Ready":
            about = ObjectRef("AdmissionCheck", "", name)
            evidence = Evidence(source="status", about=ref, reason=state, message=message)
            return Blocker(
                kind="queue-waiting", stage="queue", object=about, others=(ref,), evidence=(evidence,), subject=name
            )
    evicted = said.get("Evicted")
    return _blocker("queue-waiting", ref, (), evicted) if evicted is not None and evicted.status == "True" else None


def _kind(reserved: Condition) -> Kind:
    if reserved.reason == "Inadmissible":
        return "queue-missing" if "doesn't exist" in reserved.message else "queue-stopped"
    if NEVER in reserved.message:
        return "queue-never-fits"
    return "queue-full" if "insufficient unused quota" in reserved.message else "queue-waiting"


def _is(said: dict[str, Condition], kind: str, status: str) -> bool:
    return kind in said and said[kind].status == status
