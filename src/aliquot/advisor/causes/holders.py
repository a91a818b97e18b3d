"""Who holds a resource on some nodes, in a few words. Only bound pods hold: a pod that waits has nothing."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.advisor.broken import not_running
from aliquot.advisor.causes.cause import listed, number
from aliquot.advisor.owners import OwnerRef, owner_of
from aliquot.kube.pod import Pod
from aliquot.snapshot.effective import effective_request
from aliquot.snapshot.snapshot import Snapshot

NAMED = 2
"""Pods of one owner that are named one by one; more are counted."""


@dataclass(frozen=True, slots=True)
class HeldBy:
    """An owner, its pods that hold, and how much they hold together."""

    owner: OwnerRef
    pods: tuple[Pod, ...]
    amount: int

    @property
    def words(self) -> str:
        """`ml/llm-a-1 (deployment/llm-a)`, or `deployment/embed (112 pods)`."""
        whose = f"{self.owner.short} in {self.owner.namespace}" if self.owner.namespace else self.owner.short
        if len(self.pods) > NAMED:
            idle = sum(1 for pod in self.pods if not_running(pod))
            some = f", {idle} of them {'does' if idle == 1 else 'do'}n't run" if idle else ""
            return f"{whose} ({number(len(self.pods), 'pod')}{some})"
        names = listed([f"{pod.key}{leaving(pod) or idling(pod)}" for pod in self.pods])
        return names if self.owner.kind == "Pod" else f"{names} ({self.owner.short})"


def leaving(pod: Pod) -> str:
    """That it's being deleted and still holds, and what keeps it; empty: it isn't."""
    if not pod.terminating:
        return ""
    since = (pod.meta.deleted or "")[:16].replace("T", " ")
    kept = f", kept by its {listed([f'finalizer {one}' for one in pod.meta.finalizers])}" if pod.meta.finalizers else ""
    return f" (being deleted since {since}{kept}: it holds until it's gone)"


def idling(pod: Pod) -> str:
    """That it holds and doesn't run, and why; empty: it runs as far as the input shows."""
    why = not_running(pod)
    return f" (doesn't run: {why})" if why else ""


def held_by(snapshot: Snapshot, nodes: Iterable[str], resource: str) -> list[HeldBy]:
    """The owners whose bound pods hold a counted resource on these nodes, those with most first."""
    found: dict[OwnerRef, list[Pod]] = {}
    for node in nodes:
        for pod in snapshot.pods_on(node):
            if not pod.terminal and effective_request(pod).get(resource):
                found.setdefault(owner_of(snapshot, pod), []).append(pod)
    held = [
        HeldBy(owner, tuple(pods), sum(effective_request(pod).get(resource, 0) for pod in pods))
        for owner, pods in found.items()
    ]
    return sorted(held, key=lambda one: (-one.amount, one.owner.short))


def owners_of_claims(snapshot: Snapshot, claims: Iterable[str]) -> list[HeldBy]:
    """The owners of the pods that allocated claims are reserved for."""
    found: dict[OwnerRef, dict[str, Pod]] = {}
    for key in claims:
        claim = snapshot.claims.get(key)
        for consumer in claim.reserved_for if claim is not None else ():
            pod = snapshot.pods.get(f"{key.partition('/')[0]}/{consumer.name}")
            if pod is not None and pod.node_name:
                found.setdefault(owner_of(snapshot, pod), {})[pod.key] = pod
    held = [HeldBy(owner, tuple(pods.values()), len(pods)) for owner, pods in found.items()]
    return sorted(held, key=lambda one: (-one.amount, one.owner.short))


def who(held: list[HeldBy]) -> str:
    """In words; empty if nobody."""
    return listed([one.words for one in held])
