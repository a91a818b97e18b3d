"""A pod's claims: by name, or generated from templates; which are there, and whose they are.

Sources: kube-scheduler 1.36.2 (dynamicresources, resourceclaim.Name and IsForPod) and kube-controller-manager's
resourceclaim controller, which generates claims.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aliquot.allocation.inputs import CONSUMERS_LIMIT
from aliquot.dra.claim import Claim, ClaimTemplate, Consumer
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod, PodClaim
from aliquot.kube.workload import Namespace

ADMIN_LABEL: Final = "resource.kubernetes.io/admin-access"
"""A namespace with this label set to "true" may have claims with admin access."""

POD_CLAIM_ANNOTATION: Final = "resource.kubernetes.io/pod-claim-name"


@dataclass(frozen=True, slots=True)
class NotReady:
    """A claim isn't there, or isn't the pod's: the pod doesn't enter the scheduling queue. The text says which."""

    text: str


def claims_of(pod: Pod, claims: Mapping[str, Claim]) -> tuple[Claim, ...] | NotReady:
    """Returns the pod's claims in the order of spec.resourceClaims; those that needn't exist are left out.

    Args:
        pod: the pod.
        claims: all claims, by namespace/name.
    """
    found: list[Claim] = []
    for wanted in pod.claims:
        claim = _claim(pod, wanted, claims)
        if isinstance(claim, NotReady):
            return claim
        if claim is not None:
            found.append(claim)
    return tuple(found)


def _claim(pod: Pod, wanted: PodClaim, claims: Mapping[str, Claim]) -> Claim | NotReady | None:
    name = wanted.claim_name
    generated = name is None
    if generated:
        if wanted.template_name is None:
            return NotReady(
                f'pod "{pod.key}", spec.resourceClaim "{wanted.name}": none of the supported fields are set'
            )
        if wanted.name not in pod.claim_names:
            return NotReady(f'pod "{pod.key}": ResourceClaim not created yet')
        name = pod.claim_names[wanted.name]
        if name is None:
            return None
    claim = claims.get(f"{pod.namespace}/{name}")
    if claim is None:
        return NotReady(f'resourceclaim.resource.k8s.io "{name}" not found')
    if claim.meta.deleted is not None:
        return NotReady(f'resourceclaim "{name}" is being deleted')
    if generated and not _made_for(claim, pod):
        return NotReady(f"ResourceClaim {claim.meta.key} was not created for Pod {pod.key} (Pod is not owner)")
    return claim


def _made_for(claim: Claim, pod: Pod) -> bool:
    owner = claim.meta.controller
    return owner is not None and owner.uid == pod.meta.uid


def generate(
    pod: Pod,
    templates: Mapping[str, ClaimTemplate],
    namespaces: Mapping[str, Namespace],
    claims: Mapping[str, Claim],
) -> tuple[Claim, ...] | NotReady:
    """Makes the claims that the controller would generate for a pod, under names of our own (`POD-CLAIM`).

    Args:
        pod: the pod; claims that it has already aren't made again.
        templates: all claim templates, by namespace/name.
        namespaces: by name: admin access needs a label. A namespace that isn't known allows it.
        claims: all claims, by namespace/name.

    Returns:
        The new claims, or why the API server or the controller would refuse.
    """
    made: list[Claim] = []
    for wanted in pod.claims:
        if wanted.template_name is None or wanted.name in pod.claim_names:
            continue
        template = templates.get(f"{pod.namespace}/{wanted.template_name}")
        if template is None:
            return NotReady(f'resourceclaimtemplate.resource.k8s.io "{wanted.template_name}" not found')
        if _wants_admin(template) and not admin_allowed(namespaces.get(pod.namespace)):
            return NotReady(
                f"admin access to devices requires the `{ADMIN_LABEL}: true` label on the containing namespace"
            )
        claim = generated_claim(pod, wanted, template)
        made.append(claims.get(claim.meta.key, claim))
    return tuple(made)


def generated_claim(pod: Pod, wanted: PodClaim, template: ClaimTemplate) -> Claim:
    """Makes the claim of one template for a pod, which owns it."""
    owner = Owner("Pod", pod.name, pod.meta.uid, controller=True, api_version="v1")
    meta = Meta(
        name=f"{pod.name}-{wanted.name}",
        namespace=pod.namespace,
        uid=f"{pod.meta.uid}/{wanted.name}",
        labels=template.claim_meta.labels,
        annotations={**template.claim_meta.annotations, POD_CLAIM_ANNOTATION: wanted.name},
        owners=(owner,),
    )
    return Claim(meta, template.spec)


def _wants_admin(template: ClaimTemplate) -> bool:
    return any(request.exactly is not None and request.exactly.admin_access for request in template.spec.requests)


def admin_allowed(namespace: Namespace | None) -> bool:
    """Says whether claims of a namespace may have admin access; the API server refuses to make others."""
    return namespace is None or namespace.meta.labels.get(ADMIN_LABEL) == "true"


def is_reserved_for(claim: Claim, pod: Pod) -> bool:
    """Says whether a pod stands in the claim's status.reservedFor already."""
    return any(consumer.uid == pod.meta.uid and consumer.name == pod.name for consumer in claim.reserved_for)


def fully_reserved(claim: Claim, pod: Pod) -> bool:
    """Says whether a claim has as many consumers as the API server allows, and the pod isn't one of them."""
    return len(claim.reserved_for) >= CONSUMERS_LIMIT and not is_reserved_for(claim, pod)


def consumer_of(pod: Pod) -> Consumer:
    """Returns the entry of status.reservedFor that stands for a pod."""
    return Consumer("pods", pod.name, pod.meta.uid)
