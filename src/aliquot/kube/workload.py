"""Objects around pods: namespaces, priority classes, owners, events."""

from dataclasses import dataclass

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import LabelSelector
from aliquot.kube.storage import PersistentVolumeClaim


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many pods a workload has, as its controller counted them; None: it doesn't say."""

    desired: int | None = None
    """Of a DaemonSet: nodes that it selects. Of others: what spec asks."""
    current: int | None = None
    ready: int | None = None
    available: int | None = None
    updated: int | None = None
    unavailable: int | None = None
    misscheduled: int | None = None
    active: int | None = None
    """Of a Job, as are the next two."""
    succeeded: int | None = None
    failed: int | None = None
    observed_generation: int | None = None
    """Which metadata.generation these are about."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """How a workload replaces its pods. Amounts as written: a number or a percentage; empty: not given."""

    type: str = ""
    """`RollingUpdate` (the default), `Recreate`, `OnDelete`."""
    max_surge: str = ""
    max_unavailable: str = ""


NO_COUNTS = Counts()
DEFAULT_STRATEGY = Strategy()


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
    counts: Counts = NO_COUNTS
    strategy: Strategy = DEFAULT_STRATEGY
    selector: LabelSelector | None = None
    conditions: tuple[Condition, ...] = ()
    suspended: bool = False
    """A Job or CronJob that somebody holds."""
    paused: bool = False
    """A Deployment whose rollout somebody holds."""
    parallelism: int | None = None
    """Of a Job, or of a CronJob's jobs, as is the next."""
    completions: int | None = None
    volume_claims: tuple[PersistentVolumeClaim, ...] = ()
    """Of a StatefulSet, the claims that it makes for each of its pods: `NAME-POD`."""


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
    first_seen: str | None = None
    reporter: str = ""
    """The component that wrote it: `kubelet`, `default-scheduler`, `cluster-autoscaler`, ..."""
