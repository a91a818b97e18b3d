"""Who a pod belongs to: the object a person edits (a Deployment, not its ReplicaSet)."""

from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.kube.meta import Owner
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class OwnerRef:
    """An object to edit: kind as in its manifest, namespace and name."""

    kind: str
    namespace: str
    name: str

    @property
    def short(self) -> str:
        """`deployment/llm-a`, as kubectl takes it."""
        return f"{self.kind.lower()}/{self.name}"

    @property
    def full(self) -> str:
        """`deployment serving/llm-a`, for people."""
        return f"{self.kind.lower()} {self.namespace}/{self.name}" if self.namespace else self.short

    @property
    def templated(self) -> bool:
        """It makes pods from a template (a bare pod doesn't)."""
        return self.kind != "Pod"


def owner_of(snapshot: Snapshot, pod: Pod) -> OwnerRef:
    """The topmost known controller of a pod, or the pod itself.

    A ReplicaSet that the dump lacks is still recognised as a Deployment's by the pod-template-hash label, which the
    Deployment controller puts into both the label and the ReplicaSet's name.
    """
    found = pod.meta.controller
    if found is None:
        return OwnerRef("Pod", pod.namespace, pod.name)
    key = (found.kind, pod.namespace, found.name)
    known = snapshot.root.recall("owners", _no_owners)
    owner = known.get(key)
    if owner is None:
        owner = known[key] = _topmost(snapshot, pod, found)
    return owner


def _no_owners(_: Snapshot) -> dict[tuple[str, str, str], OwnerRef]:
    """Filled as owners are asked for: most pods share theirs with many others."""
    return {}


def _topmost(snapshot: Snapshot, pod: Pod, found: Owner) -> OwnerRef:
    kind, name = found.kind, found.name
    for _ in range(5):  # Deployment > ReplicaSet > Pod is two steps; a bound, should a dump hold a ring
        workload = snapshot.workloads.get(f"{kind}/{pod.namespace}/{name}")
        above = workload.meta.controller if workload is not None else None
        if above is not None:
            kind, name = above.kind, above.name
            continue
        suffix = "-" + pod.meta.labels.get("pod-template-hash", "?")
        if workload is None and kind == "ReplicaSet" and name.endswith(suffix):
            kind, name = "Deployment", name.removesuffix(suffix)
        break
    return OwnerRef(kind, pod.namespace, name)


def pods_of(snapshot: Snapshot, owner: OwnerRef) -> tuple[Pod, ...]:
    """Every pod of an owner that hasn't ended: those that run and those that wait."""
    return snapshot.recall("pods by advisor owner", _by_owner).get(owner, ())


def _by_owner(snapshot: Snapshot) -> Mapping[OwnerRef, tuple[Pod, ...]]:
    found: dict[OwnerRef, list[Pod]] = {}
    for pod in snapshot.pods.values():
        if not pod.terminal:
            found.setdefault(owner_of(snapshot, pod), []).append(pod)
    return {owner: tuple(pods) for owner, pods in found.items()}
