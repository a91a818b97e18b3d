"""The core kinds from their JSON: which kinds are read, and how each noun is built.

Defaults are those that the API server fills in, so that a manifest reads like the object it would become.
"""

from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.reading.kind import Kind
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.nodes import node
from aliquot.kube.reading.parts import meta
from aliquot.kube.reading.pods import pod, template_pod
from aliquot.kube.reading.wire import WireNode
from aliquot.kube.reading.wire_pod import WirePod
from aliquot.kube.reading.wire_workload import (
    WireCronJob,
    WireEvent,
    WireNamespace,
    WireObjectReference,
    WirePriorityClass,
    WireWorkload,
    WireWorkloadSpec,
)
from aliquot.kube.workload import Event, Namespace, PriorityClass, Workload

Noun = Node | Pod | Namespace | PriorityClass | Workload | Event


def _namespace(wire: WireNamespace, memo: Memo) -> Namespace:
    return Namespace(meta(wire.metadata, memo, ""))


def _priority_class(wire: WirePriorityClass, memo: Memo) -> PriorityClass:
    return PriorityClass(
        meta(wire.metadata, memo, ""),
        wire.value,
        bool(wire.global_default),
        wire.preemption_policy or "PreemptLowerPriority",
    )


_ONE_REPLICA = {"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"}
"""Kinds whose spec.replicas is 1 where it isn't given."""


class _Owner:
    """Builds the workloads of one kind."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    def workload(self, wire: WireWorkload, memo: Memo) -> Workload:
        made = meta(wire.metadata, memo, "default")
        spec = wire.spec or WireWorkloadSpec()
        replicas = spec.replicas if spec.replicas is not None else (1 if self.kind in _ONE_REPLICA else None)
        conditions = (wire.status.conditions if wire.status else None) or ()
        complete = self.kind == "Job" and any(
            condition.type in {"Complete", "Failed"} and condition.status == "True" for condition in conditions
        )
        return Workload(self.kind, made, replicas, complete, template_pod(spec.template, made, memo))

    def cron_job(self, wire: WireCronJob, memo: Memo) -> Workload:
        made = meta(wire.metadata, memo, "default")
        job = wire.spec.job_template.spec if wire.spec and wire.spec.job_template else None
        return Workload(self.kind, made, template=template_pod(job.template if job else None, made, memo))


def _event(wire: WireEvent, memo: Memo) -> Event:
    made = meta(wire.metadata, memo, "default")
    about = wire.involved_object or wire.regarding or WireObjectReference()
    series = wire.series
    return Event(
        made,
        about.kind or "",
        about.namespace or "",
        about.name or "",
        about.uid or "",
        wire.reason or "",
        wire.message or wire.note or "",
        wire.type or "Normal",
        (series.count if series else None) or wire.count or wire.deprecated_count or 1,
        (series.last_observed_time if series else None)
        or wire.last_timestamp
        or wire.deprecated_last_timestamp
        or wire.event_time
        or made.created,
    )


def _workload(group: str, kind: str) -> Kind[Workload]:
    return Kind(group, ("v1",), kind, WireWorkload, _Owner(kind).workload)


KINDS: tuple[Kind[Noun], ...] = (
    Kind("", ("v1",), "Node", WireNode, node),
    Kind("", ("v1",), "Pod", WirePod, pod),
    Kind("", ("v1",), "Namespace", WireNamespace, _namespace),
    Kind("", ("v1",), "Event", WireEvent, _event),
    Kind("events.k8s.io", ("v1",), "Event", WireEvent, _event),
    Kind("scheduling.k8s.io", ("v1",), "PriorityClass", WirePriorityClass, _priority_class),
    _workload("apps", "Deployment"),
    _workload("apps", "ReplicaSet"),
    _workload("apps", "StatefulSet"),
    _workload("apps", "DaemonSet"),
    _workload("", "ReplicationController"),
    _workload("batch", "Job"),
    Kind("batch", ("v1",), "CronJob", WireCronJob, _Owner("CronJob").cron_job),
)
