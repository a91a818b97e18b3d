"""What becomes of a pod's claims when the pod is gone, by the rules of kube-controller-manager's claim controller."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from aliquot.dra.claim import Claim, Consumer
from aliquot.kube.pod import Pod


def claim_keys(pod: Pod) -> Iterator[str]:
    """The keys of the claims that a pod uses: by name, generated, and for extended resources."""
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        if name:
            yield f"{pod.namespace}/{name}"
    if pod.extended_claim is not None and pod.extended_claim.claim_name:
        yield f"{pod.namespace}/{pod.extended_claim.claim_name}"


def without_pod(claim: Claim, pod: Pod) -> Claim | None:
    """Returns a claim after a pod has gone; None: it goes too, for it was made for this pod.

    Another one loses the pod as a consumer, and is deallocated if that was the last.
    """
    owner = claim.meta.controller
    if owner is not None and owner.kind == "Pod" and _same(owner.uid, owner.name, pod):
        return None
    kept = tuple(_others(claim.reserved_for, pod))
    if len(kept) == len(claim.reserved_for):
        return claim
    return replace(claim, reserved_for=kept, allocation=claim.allocation if kept else None)


def _others(consumers: Iterable[Consumer], pod: Pod) -> Iterator[Consumer]:
    return (consumer for consumer in consumers if not _same(consumer.uid, consumer.name, pod))


def _same(uid: str, name: str, pod: Pod) -> bool:
    """A dump may leave out UIDs; then the name tells."""
    return uid == pod.meta.uid and name == pod.name
