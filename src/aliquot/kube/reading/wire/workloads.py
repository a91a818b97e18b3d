"""The JSON shapes around pods: workloads, namespaces, priority classes, events."""

from typing import Annotated

import msgspec

from aliquot.kube.reading.shape import ABSENT, Int32, Minor
from aliquot.kube.reading.wire.parts import MinorInt, MinorText, Wire, WireCondition, WireMeta
from aliquot.kube.reading.wire.pods import WirePodTemplate


class WireRollingUpdate(Wire):
    """rollingUpdate of a strategy: numbers or percentages."""

    max_surge: msgspec.Raw = ABSENT
    max_unavailable: msgspec.Raw = ABSENT


class WireStrategy(Wire):
    """strategy of a Deployment, updateStrategy of a StatefulSet or DaemonSet."""

    type: str | None = None
    rolling_update: WireRollingUpdate | None = None


class WireWorkloadSpec(Wire):
    """spec of a workload."""

    replicas: Int32 | None = None
    template: WirePodTemplate | None = None
    selector: Annotated[msgspec.Raw, Minor()] = ABSENT
    """A LabelSelector; of a ReplicationController a plain map."""
    strategy: Annotated[WireStrategy | None, Minor()] = None
    update_strategy: Annotated[WireStrategy | None, Minor()] = None
    suspend: Annotated[bool | None, Minor()] = None
    paused: Annotated[bool | None, Minor()] = None
    parallelism: Annotated[Int32 | None, Minor()] = None
    completions: Annotated[Int32 | None, Minor()] = None
    volume_claim_templates: Annotated[msgspec.Raw, Minor()] = ABSENT
    """Of a StatefulSet: PersistentVolumeClaims."""


class WireWorkloadStatus(Wire):
    """status of a workload."""

    conditions: list[WireCondition] | None = None
    observed_generation: MinorInt = None
    replicas: MinorInt = None
    ready_replicas: MinorInt = None
    available_replicas: MinorInt = None
    updated_replicas: MinorInt = None
    unavailable_replicas: MinorInt = None
    desired_number_scheduled: MinorInt = None
    current_number_scheduled: MinorInt = None
    updated_number_scheduled: MinorInt = None
    number_ready: MinorInt = None
    number_available: MinorInt = None
    number_unavailable: MinorInt = None
    number_misscheduled: MinorInt = None
    ready: MinorInt = None
    active: Annotated[msgspec.Raw, Minor()] = ABSENT
    """A number; of a CronJob a list."""
    succeeded: MinorInt = None
    failed: MinorInt = None


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
    suspend: Annotated[bool | None, Minor()] = None


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


class WireEventSource(Wire):
    """source of an event."""

    component: str | None = None


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
    first_timestamp: MinorText = None
    deprecated_first_timestamp: MinorText = None
    reporting_component: MinorText = None
    reporting_controller: MinorText = None
    source: Annotated[WireEventSource | None, Minor()] = None
    deprecated_source: Annotated[WireEventSource | None, Minor()] = None
