"""Objects around pods: namespaces, priority classes, owners, events."""

from dataclasses import dataclass

from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace (its labels matter to affinity and to admin access)."""

    meta: Meta


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """scheduling.k8s.io/v1 PriorityClass."""

    meta: Meta
    value: int
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"


@dataclass(frozen=True, slots=True)
class Workload:
    """An owner of pods: Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, ReplicationController."""

    kind: str
    meta: Meta
    replicas: int | None = None
    complete: bool = False
    """A Job that has finished."""
    template: Pod | None = None
    """The pod that it makes, under the workload's name and namespace."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event about an object."""

    meta: Meta
    kind: str
    """Of the object it's about, as are namespace, name and uid."""
    namespace: str
    name: str
    uid: str
    reason: str
    message: str
    type: str = "Normal"
    count: int = 1
    last_seen: str | None = None
