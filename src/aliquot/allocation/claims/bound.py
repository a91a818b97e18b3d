"""What becomes of the claims when a pod is bound to a node: allocated, and reserved for the pod."""

from dataclasses import replace

from aliquot.allocation.answer import Allocation
from aliquot.allocation.claims.extended import IN_MEMORY
from aliquot.allocation.claims.pod_check import PodCheck
from aliquot.allocation.claims.pod_claims import consumer_of, is_reserved_for
from aliquot.dra.claim import Claim, ClaimAllocation
from aliquot.kube.pod import ExtendedResourceClaim, Pod
from aliquot.snapshot.load import NodeLoad


def bound_claims(check: PodCheck, load: NodeLoad) -> tuple[Claim, ...]:
    """Returns a pod's claims as they are after binding it to a node that `check` accepted.

    Shares get identities of their own, where the scheduler draws random ones. The claim for extended resources gets
    the name `POD-extended-resources`; it's left out where the node serves them itself.

    Args:
        check: the pod's claims, checked on this node.
        load: the node.

    Raises:
        ValueError: the node doesn't serve the claims.
    """
    asked = check.to_allocate(load)
    answer = check.answers.get(load.node.name)
    if asked and not isinstance(answer, Allocation):
        raise ValueError(f"node {load.node.name} doesn't serve the claims of pod {check.pod.key}")
    given = answer.claims if isinstance(answer, Allocation) else ()
    allocated = [claim for claim in check.claims if claim.allocation is not None]
    fresh = [
        replace(claim, allocation=_with_shares(result, claim.meta.uid or claim.meta.key))
        for claim, result in zip(asked, given, strict=True)
        if claim.meta.name != IN_MEMORY or claim.spec.requests
    ]
    return tuple(_reserved(_named(claim, check.pod), check.pod) for claim in (*allocated, *fresh))


def extended_status(check: PodCheck, node: str) -> ExtendedResourceClaim | None:
    """Returns the pod's status.extendedResourceClaimStatus on a node; None: nothing there is served by devices."""
    mapping = check.mappings.get(node)
    if mapping is None or not mapping.mappings:
        return None
    return replace(mapping, claim_name=_extended_name(check.pod))


def _with_shares(allocation: ClaimAllocation, owner: str) -> ClaimAllocation:
    if all(result.share_id is None for result in allocation.results):
        return allocation
    results = tuple(
        result if result.share_id is None else replace(result, share_id=f"{owner}/{number}")
        for number, result in enumerate(allocation.results)
    )
    return replace(allocation, results=results)


def _named(claim: Claim, pod: Pod) -> Claim:
    if claim.meta.name != IN_MEMORY:
        return claim
    return replace(claim, meta=replace(claim.meta, name=_extended_name(pod)))


def _extended_name(pod: Pod) -> str:
    return f"{pod.name}-extended-resources"


def _reserved(claim: Claim, pod: Pod) -> Claim:
    if is_reserved_for(claim, pod):
        return claim
    return replace(claim, reserved_for=(*claim.reserved_for, consumer_of(pod)))
