"""Pods bound to nodes and taken away on a snapshot, with what becomes of their claims."""

from collections.abc import Iterable

from aliquot.allocation.claims.leaving import claim_keys, without_pod
from aliquot.dra.claim import Claim
from aliquot.dra.device import DeviceId
from aliquot.kube.pod import Pod
from aliquot.scheduling.assuming import assumed
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


def bound(snapshot: Snapshot, pod: Pod, node: str, scheduler: Scheduler) -> Snapshot | None:
    """With a pod on a node and its claims allocated there; None if the node doesn't serve them."""
    return assumed(snapshot, pod, node, scheduler.answers)


def devices_given(snapshot: Snapshot, pod: Pod, node: str, scheduler: Scheduler) -> tuple[DeviceId, ...]:
    """The devices that a pod's claims would get on a node now, or have already; none if the node doesn't serve them."""
    after = bound(snapshot, pod, node, scheduler)
    if after is None:
        return ()
    own = [claim for key in claim_keys(pod) if (claim := after.claims.get(key)) is not None]
    made = [claim for key, claim in after.claims.items() if key not in snapshot.claims]  # for extended resources
    allocations = (claim.allocation for claim in (*own, *made))
    return tuple(one.device for each in allocations if each is not None for one in each.results)


def without_pods(snapshot: Snapshot, keys: Iterable[str]) -> Snapshot:
    """Without these pods, and with what they held: their own claims go, shared ones lose them as consumers.

    As kube-controller-manager does: a claim from a template is deleted with its pod; another one is deallocated when
    its last consumer is gone.
    """
    leaving = [snapshot.pods[key] for key in keys if key in snapshot.pods]
    world = snapshot.without_pods([pod.key for pod in leaving])
    for pod in leaving:
        for key in claim_keys(pod):
            claim = world.claims.get(key)
            if claim is None:
                continue
            after = without_pod(claim, pod)
            world = world.without_object(Claim, key) if after is None else world.with_object(after)
    return world
