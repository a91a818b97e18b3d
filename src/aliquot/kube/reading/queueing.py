"""Kueue's objects from their JSON (v1beta1 and v1beta2)."""

from collections.abc import Mapping
from typing import Annotated

import msgspec

from aliquot.kube.meta import EMPTY
from aliquot.kube.node import Resources
from aliquot.kube.queueing import ClusterQueue, LocalQueue, QueuedWorkload, ResourceFlavor
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import cluster_meta, conditions, labels, meta, resource_amount
from aliquot.kube.reading.shape import ABSENT, Amount, Minor
from aliquot.kube.reading.wire.parts import Labels, MinorInt, MinorText, Wire, WireCondition, WireMeta

Conditions = Annotated[list[WireCondition] | None, Minor()]


class WireAdmission(Wire):
    """status.admission of a Workload."""

    cluster_queue: str | None = None


class WireCheck(Wire):
    """status.admissionChecks[] of a Workload."""

    name: str | None = None
    state: str | None = None
    message: str | None = None


class WireQueuedSpec(Wire):
    """spec of a Workload."""

    queue_name: str | None = None
    active: bool | None = None
    priority: MinorInt = None


class WireQueuedStatus(Wire):
    """status of a Workload."""

    admission: WireAdmission | None = None
    admission_checks: Annotated[list[WireCheck] | None, Minor()] = None
    conditions: list[WireCondition] | None = None


class WireQueuedWorkload(Wire):
    """kueue.x-k8s.io Workload."""

    metadata: WireMeta
    spec: WireQueuedSpec | None = None
    status: WireQueuedStatus | None = None


def workload(wire: WireQueuedWorkload, memo: Memo) -> QueuedWorkload:
    """A Workload; it's active unless it says otherwise."""
    spec = wire.spec or WireQueuedSpec()
    status = wire.status or WireQueuedStatus()
    return QueuedWorkload(
        meta=meta(wire.metadata, memo),
        queue=spec.queue_name or "",
        active=spec.active is not False,
        admitted_by=(status.admission.cluster_queue if status.admission else None) or "",
        priority=spec.priority or 0,
        conditions=conditions(status.conditions),
        checks=tuple((one.name or "", one.state or "", one.message or "") for one in status.admission_checks or ()),
    )


class WireQuota(Wire):
    """resources[] of a flavor: its quota, or what is reserved of it."""

    name: str
    nominal_quota: Amount = ABSENT
    total: Amount = ABSENT


class WireFlavor(Wire):
    """flavors[] of a group, and status.flavorsReservation[]."""

    name: str
    resources: list[WireQuota] | None = None


class WireResourceGroup(Wire):
    """spec.resourceGroups[] of a ClusterQueue."""

    flavors: list[WireFlavor] | None = None


class WireClusterQueueSpec(Wire):
    """spec of a ClusterQueue."""

    cohort: MinorText = None
    cohort_name: MinorText = None
    stop_policy: str | None = None
    resource_groups: list[WireResourceGroup] | None = None


class WireClusterQueueStatus(Wire):
    """status of a ClusterQueue."""

    conditions: list[WireCondition] | None = None
    flavors_reservation: list[WireFlavor] | None = None
    pending_workloads: MinorInt = None


class WireClusterQueue(Wire):
    """ClusterQueue."""

    metadata: WireMeta
    spec: WireClusterQueueSpec | None = None
    status: WireClusterQueueStatus | None = None


def cluster_queue(wire: WireClusterQueue, memo: Memo) -> ClusterQueue:
    """A ClusterQueue."""
    spec = wire.spec or WireClusterQueueSpec()
    status = wire.status or WireClusterQueueStatus()
    flavors = [flavor for group in spec.resource_groups or () for flavor in group.flavors or ()]
    return ClusterQueue(
        cluster_meta(wire.metadata, memo),
        spec.cohort_name or spec.cohort or "",
        _stop(spec.stop_policy),
        _by_flavor(
            {flavor.name: [(one.name, one.nominal_quota) for one in flavor.resources or ()] for flavor in flavors}
        ),
        _by_flavor(
            {
                flavor.name: [(one.name, one.total) for one in flavor.resources or ()]
                for flavor in status.flavors_reservation or ()
            }
        ),
        status.pending_workloads,
        conditions(status.conditions),
    )


def _stop(policy: str | None) -> str:
    return policy if policy and policy != "None" else ""


def _by_flavor(flavors: Mapping[str, list[tuple[str, msgspec.Raw]]]) -> Mapping[str, Resources]:
    return {
        flavor: {name: resource_amount(name, raw) for name, raw in amounts if bytes(raw)}
        for flavor, amounts in flavors.items()
    }


class WireLocalQueueSpec(Wire):
    """spec of a LocalQueue."""

    cluster_queue: str | None = None
    stop_policy: str | None = None


class WireLocalQueueStatus(Wire):
    """status of a LocalQueue."""

    conditions: Conditions = None


class WireLocalQueue(Wire):
    """LocalQueue."""

    metadata: WireMeta
    spec: WireLocalQueueSpec | None = None
    status: WireLocalQueueStatus | None = None


def local_queue(wire: WireLocalQueue, memo: Memo) -> LocalQueue:
    """A LocalQueue."""
    spec = wire.spec or WireLocalQueueSpec()
    said = conditions(wire.status.conditions) if wire.status else ()
    return LocalQueue(meta(wire.metadata, memo), spec.cluster_queue or "", _stop(spec.stop_policy), said)


class WireResourceFlavorSpec(Wire):
    """spec of a ResourceFlavor."""

    node_labels: Labels = ABSENT


class WireResourceFlavor(Wire):
    """ResourceFlavor."""

    metadata: WireMeta
    spec: WireResourceFlavorSpec | None = None


def flavor(wire: WireResourceFlavor, memo: Memo) -> ResourceFlavor:
    """A ResourceFlavor."""
    node_labels = memo.of(labels, wire.spec.node_labels, EMPTY) if wire.spec else EMPTY
    return ResourceFlavor(cluster_meta(wire.metadata, memo), node_labels)
