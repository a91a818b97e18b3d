"""Small clusters for tests, said briefly."""

from collections.abc import Mapping

from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Container, Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import Affinity, LabelSelector, PodAffinityTerm, TopologySpread
from aliquot.kube.taints import Taint, Toleration
from aliquot.snapshot.snapshot import Snapshot

GI = 1 << 30
GPU = "nvidia.com/gpu"
NOW = Kubernetes(36)
TOLERATES_GPU = (Toleration("nvidia.com/gpu", "Exists", effect="NoSchedule"),)


def node(
    name: str,
    *,
    labels: Mapping[str, str] | None = None,
    taints: tuple[Taint, ...] = (),
    cordoned: bool = False,
    features: tuple[str, ...] = (),
    **allocatable: int,
) -> Node:
    """A node with 4 cores, 16Gi and room for 10 pods unless said otherwise; `gpu` is nvidia.com/gpu."""
    offers = {"cpu": 4000, "memory": 16 * GI, "pods": 10} | resources(allocatable)
    return Node(
        Meta(name, labels={"kubernetes.io/hostname": name} | dict(labels or {})),
        allocatable=offers,
        capacity=offers,
        taints=taints,
        unschedulable=cordoned,
        declared_features=features,
    )


def resources(amounts: Mapping[str, int]) -> dict[str, int]:
    """Keyword names to resource names."""
    return {{"gpu": GPU, "ephemeral_storage": "ephemeral-storage"}.get(k, k): v for k, v in amounts.items()}


def pod(
    name: str,
    on: str = "",
    *,
    namespace: str = "default",
    app: str = "",
    labels: Mapping[str, str] | None = None,
    priority: int = 0,
    tolerations: tuple[Toleration, ...] = (),
    selector: Mapping[str, str] | None = None,
    affinity: Affinity | None = None,
    spread: tuple[TopologySpread, ...] = (),
    started: str | None = None,
    deleted: str | None = None,
    nominated: str = "",
    policy: str = "PreemptLowerPriority",
    phase: str = "",
    **requests: int,
) -> Pod:
    """A pod with one container; bound to the node `on` if given."""
    return Pod(
        Meta(name, namespace, labels=({"app": app} if app else {}) | dict(labels or {}), deleted=deleted),
        (Container("main", requests=resources(requests)),),
        node_name=on,
        phase=phase or ("Running" if on else "Pending"),
        priority=priority,
        tolerations=tolerations,
        node_selector=dict(selector or {}),
        affinity=affinity,
        topology_spread=spread,
        started=started,
        nominated_node=nominated,
        preemption_policy=policy,
    )


def apart(app: str, key: str = "kubernetes.io/hostname") -> Affinity:
    """Anti-affinity to pods of an app."""
    return Affinity(pod_anti=(term(app, key),))


def beside(app: str, key: str = "kubernetes.io/hostname") -> Affinity:
    """Affinity to pods of an app."""
    return Affinity(pod=(term(app, key),))


def term(app: str, key: str) -> PodAffinityTerm:
    """About pods of an app."""
    return PodAffinityTerm(key, LabelSelector({"app": app}))


def cluster(*things: object) -> Snapshot:
    """A snapshot of these."""
    return Snapshot.of(things)
