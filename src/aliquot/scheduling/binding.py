"""Pods bound to nodes and taken away on a snapshot, with what becomes of their claims."""

from collections.abc import Iterable
from dataclasses import replace

from aliquot.allocation.claims.bound import bound_claims
from aliquot.allocation.claims.leaving import claim_keys, without_pod
from aliquot.allocation.claims.pod_check import PodCheck
from aliquot.dra.claim import Claim
from aliquot.kube.pod import Pod
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot


def bound(snapshot: Snapshot, pod: Pod, node: str, scheduler: Scheduler) -> Snapshot | None:
    """With a pod on a node and its claims allocated there; None if the node doesn't serve them."""
    check = scheduler.answers.prepare(snapshot, pod) if scheduler.answers is not None else None
    placed = snapshot.with_pod(replace(pod, node_name=node, nominated_node="", phase="Running"))
    if check is None:
        return placed
    if not isinstance(check, PodCheck) or check.check(snapshot.load(node)):
        return None
    for claim in bound_claims(check, snapshot.load(node)):
        placed = placed.with_object(claim)
    return placed


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
