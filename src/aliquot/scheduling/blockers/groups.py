"""Pods of other schedulers: where their reason stands, in a PodGroup, a Queue or an event."""

from collections.abc import Iterator

from aliquot.kube.groups import KAI, KUBERNETES, SCHEDULER_PLUGINS, VOLCANO, PodGroup, Queue
from aliquot.kube.pod import Pod
from aliquot.scheduling.blockers.blocker import (
    Blocker,
    Evidence,
    ObjectRef,
    condition_evidence,
    event_evidence,
    newest,
    pod_ref,
)
from aliquot.scheduling.blockers.schedulers import DEFAULT
from aliquot.snapshot.snapshot import Snapshot

_NAMED: tuple[tuple[str, str, str], ...] = (
    (VOLCANO, "annotation", "scheduling.k8s.io/group-name"),
    (VOLCANO, "annotation", "scheduling.volcano.sh/group-name"),
    (KAI, "annotation", "pod-group-name"),
    (SCHEDULER_PLUGINS, "label", "scheduling.x-k8s.io/pod-group"),
    (SCHEDULER_PLUGINS, "label", "pod-group.scheduling.sigs.k8s.io"),
)
"""(API group, where a pod names its PodGroup)."""
YUNIKORN_TASK_GROUP = "yunikorn.apache.org/task-group-name"


def group_blockers(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """A group that doesn't fit or isn't there, a queue that is closed; else where another scheduler's word stands."""
    if pod.node_name or pod.terminal:
        return
    found = False
    for api, name in _groups(pod):
        group = snapshot.objects(PodGroup).get(f"{api}/{pod.namespace}/{name}")
        ref = ObjectRef(f"PodGroup.{api}", pod.namespace, name)
        if group is not None:
            for blocker in _of_group(snapshot, group, ref):
                found = True
                yield blocker
        elif f"PodGroup.{api}" in snapshot.kinds:
            found = True
            yield Blocker(
                kind="group-missing",
                stage="scheduling",
                object=ref,
                evidence=(Evidence(source="absence", about=ref),),
                decisive=api == KUBERNETES,
            )
    if not found and (pod.scheduler_name or DEFAULT) != DEFAULT:
        yield _elsewhere(snapshot, pod)


def group_of(snapshot: Snapshot, pod: Pod) -> PodGroup | None:
    """The group that the pod names, where it's in the input."""
    groups = snapshot.objects(PodGroup)
    return next(
        (one for api, name in _groups(pod) if (one := groups.get(f"{api}/{pod.namespace}/{name}")) is not None), None
    )


def _groups(pod: Pod) -> Iterator[tuple[str, str]]:
    if pod.scheduling_group and not pod.group_workload:
        yield KUBERNETES, pod.scheduling_group
    for api, place, key in _NAMED:
        name = (pod.meta.annotations if place == "annotation" else pod.meta.labels).get(key)
        if name:
            yield api, name


def _of_group(snapshot: Snapshot, group: PodGroup, ref: ObjectRef) -> Iterator[Blocker]:
    queue = snapshot.objects(Queue).get(f"{group.api}/{group.queue}") if group.queue else None
    if queue is not None and queue.state in {"Closed", "Closing"}:
        about = ObjectRef(f"Queue.{group.api}", "", group.queue)
        evidence = Evidence(source="status", about=about, reason=queue.state)
        yield Blocker(kind="queue-stopped", stage="queue", object=about, others=(ref,), evidence=(evidence,))
    elif queue is None and group.queue and f"Queue.{group.api}" in snapshot.kinds:
        about = ObjectRef(f"Queue.{group.api}", "", group.queue)
        evidence = Evidence(source="absence", about=about)
        yield Blocker(kind="queue-missing", stage="queue", object=about, others=(ref,), evidence=(evidence,))
    said = [condition_evidence(ref, one) for one in group.conditions if _against(one.type, one.status)]
    said += [Evidence(source="condition", about=ref, reason=reason, message=text) for reason, text in group.reasons]
    if said:
        yield Blocker(
            kind="group-waiting",
            stage="scheduling",
            object=ref,
            evidence=tuple(said),
            decisive=False,
            subject=group.phase,
            limit=group.least,
        )


def _against(kind: str, status: str) -> bool:
    """Volcano's Unschedulable is bad when True, Kubernetes' PodGroupScheduled when False."""
    if kind in {"Unschedulable", "UnschedulableOnNodePool"}:
        return status != "False"
    return kind in {"PodGroupScheduled", "PodGroupInitiallyScheduled", "Scheduled"} and status == "False"


def _elsewhere(snapshot: Snapshot, pod: Pod) -> Blocker:
    """It's judged by another scheduler; with the newest thing that one said, if it's there."""
    told = snapshot.events_about("Pod", pod.namespace, pod.name)
    last = newest(event for event in told if event.type != "Normal" or event.reporter == pod.scheduler_name)
    evidence = [event_evidence(last)] if last else []
    if pod.scheduled is not None and pod.scheduled.status == "False" and pod.scheduled.message:
        evidence.append(
            Evidence(
                source="condition",
                about=pod_ref(pod),
                reason=pod.scheduled.reason,
                message=pod.scheduled.message,
                when=pod.scheduled.changed,
            )
        )
    return Blocker(
        kind="other-scheduler",
        stage="scheduling",
        object=ObjectRef("Scheduler", "", pod.scheduler_name),
        others=(pod_ref(pod),),
        evidence=tuple(evidence),
        certain=bool(evidence),
        decisive=False,
        subject=pod.meta.annotations.get(YUNIKORN_TASK_GROUP, ""),
    )
