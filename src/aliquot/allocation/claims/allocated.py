"""What can be in the way of a claim that is allocated already: too many consumers, another node, a failed binding.

Source: kube-scheduler 1.36.2, dynamicresources/dynamicresources.go (PreFilter, Filter, PreBind).
"""

from typing import Final

from aliquot.allocation.claims.pod_claims import fully_reserved
from aliquot.allocation.inputs import CONSUMERS_LIMIT
from aliquot.allocation.rules.reach import BrokenSelectorError, selects
from aliquot.dra.claim import Claim
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod

PLUGIN: Final = "DynamicResources"


def error_of(claim: Claim, pod: Pod) -> str:
    """Returns the error that ends the attempt whatever the node; "": none.

    Nothing is in the way of sharing a claim, but for the API server's limit, met when the pod is bound.
    """
    if fully_reserved(claim, pod):
        return (
            f'running PreBind plugin "{PLUGIN}": add reservation to claim {claim.meta.key}: '
            f'ResourceClaim.resource.k8s.io "{claim.meta.name}" is invalid: status.reservedFor: '
            f"Too many: {CONSUMERS_LIMIT + 1}: must have at most {CONSUMERS_LIMIT} items"
        )
    try:
        reachable(claim, Node(claim.meta))
    except BrokenSelectorError as error:
        return f'running PreFilter plugin "{PLUGIN}": {error}'
    return ""


def reachable(claim: Claim, node: Node) -> bool:
    """Says whether a claim's devices can be reached from a node.

    Raises:
        BrokenSelectorError: the allocation's node selector can't be parsed.
    """
    selector = claim.allocation.node_selector if claim.allocation is not None else None
    return selector is None or selects(selector, node)


def binding_failed(claim: Claim) -> bool:
    """Says whether a driver reports that a device can't be bound: a binding failure condition is True.

    The scheduler also gives up on a claim that isn't ready after ten minutes; that needs a clock, and isn't told.
    """
    if claim.allocation is None:
        return False
    status = {status.device: status.conditions for status in claim.devices}
    return any(
        status.get(result.device, {}).get(condition) == "True"
        for result in claim.allocation.results
        if result.binding_conditions
        for condition in result.binding_failure_conditions
    )
