"""The JSON shapes around pods: workloads, namespaces, priority classes, events."""

from aliquot.kube.reading.shape import Int32
from aliquot.kube.reading.wire import Wire, WireCondition, WireMeta
from aliquot.kube.reading.wire_pod import WirePodTemplate


class WireWorkloadSpec(Wire):
    """spec of a workload."""

    replicas: Int32 | None = None
    template: WirePodTemplate | None = None


class WireWorkloadStatus(Wire):
    """status of a workload."""

    conditions: list[WireCondition] | None = None


class WireWorkload(Wire):
    """Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, ReplicationController."""

    metadata: WireMeta
    spec: WireWorkloadSpec | None = None
    status: WireWorkloadStatus | None = None


class WireJobTemplate(Wire):
    """spec.jobTemplate of a CronJob."""

    spec: WireWorkloadSpec | None = None


class WireCronJobSpec(Wire):
    """spec of a CronJob."""

    job_template: WireJobTemplate | None = None


class WireCronJob(Wire):
    """batch/v1 CronJob."""

    metadata: WireMeta
    spec: WireCronJobSpec | None = None


class WireNamespace(Wire):
    """v1 Namespace."""

    metadata: WireMeta


class WirePriorityClass(Wire):
    """scheduling.k8s.io/v1 PriorityClass."""

    metadata: WireMeta
    value: Int32
    global_default: bool | None = None
    preemption_policy: str | None = None


class WireObjectReference(Wire):
    """involvedObject (v1) and regarding (events.k8s.io) of an event."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class WireSeries(Wire):
    """series of an event."""

    count: Int32 | None = None
    last_observed_time: str | None = None


class WireEvent(Wire):
    """v1 and events.k8s.io/v1 Event."""

    metadata: WireMeta
    involved_object: WireObjectReference | None = None
    regarding: WireObjectReference | None = None
    reason: str | None = None
    message: str | None = None
    note: str | None = None
    type: str | None = None
    count: Int32 | None = None
    deprecated_count: Int32 | None = None
    last_timestamp: str | None = None
    deprecated_last_timestamp: str | None = None
    event_time: str | None = None
    series: WireSeries | None = None
