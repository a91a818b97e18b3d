"""Kueue: jobs that wait in queues until there's quota for them (kueue.x-k8s.io)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import EMPTY, Meta
from aliquot.kube.node import Resources

GROUP = "kueue.x-k8s.io"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"
WORKLOAD_ANNOTATION = "kueue.x-k8s.io/workload"
ADMISSION_GATE = "kueue.x-k8s.io/admission"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedWorkload:
    """Workload: one job, or one group of pods, that asks to be admitted."""

    meta: Meta
    queue: str = ""
    """The LocalQueue, in the same namespace."""
    active: bool = True
    """False: somebody deactivated it."""
    admitted_by: str = ""
    """status.admission.clusterQueue."""
    priority: int = 0
    conditions: tuple[Condition, ...] = ()
    checks: tuple[tuple[str, str, str], ...] = ()
    """status.admissionChecks: (name, state, message)."""


@dataclass(frozen=True, slots=True)
class ClusterQueue:
    """ClusterQueue: the quota itself."""

    meta: Meta
    cohort: str = ""
    stop: str = ""
    """spec.stopPolicy where it stops: `Hold` or `HoldAndDrain`."""
    quota: Mapping[str, Resources] = field(default_factory=dict[str, Resources])
    """Flavor -> nominal quota."""
    reserved: Mapping[str, Resources] = field(default_factory=dict[str, Resources])
    """Flavor -> what is reserved (status.flavorsReservation)."""
    pending: int | None = None
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalQueue:
    """LocalQueue: a namespace's way into a ClusterQueue."""

    meta: Meta
    cluster_queue: str = ""
    stop: str = ""
    conditions: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class ResourceFlavor:
    """ResourceFlavor: the nodes that a quota is for."""

    meta: Meta
    node_labels: Mapping[str, str] = field(default_factory=lambda: EMPTY)
