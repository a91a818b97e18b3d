"""A pod taken for placed, with its claims allocated, as the scheduler assumes it before it's bound."""

from dataclasses import replace

from aliquot.allocation.claims.bound import bound_claims
from aliquot.allocation.claims.pod_check import PodCheck
from aliquot.kube.pod import Pod
from aliquot.scheduling.filters.dynamic_resources import ClaimFilter
from aliquot.snapshot.snapshot import Snapshot


def assumed(snapshot: Snapshot, pod: Pod, node: str, answers: ClaimFilter | None) -> Snapshot | None:
    """With a pod on a node and its claims allocated there; None if the node doesn't serve them."""
    check = answers.prepare(snapshot, pod) if answers is not None else None
    placed = snapshot.with_pod(replace(pod, node_name=node, nominated_node="", phase="Running"))
    if check is None:
        return placed
    if not isinstance(check, PodCheck) or check.check(snapshot.load(node)):
        return None
    for claim in bound_claims(check, snapshot.load(node)):
        placed = placed.with_object(claim)
    return placed
