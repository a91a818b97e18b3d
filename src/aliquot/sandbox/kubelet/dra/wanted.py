"""Which claims a pod uses, and which of their requests each container."""

from collections import defaultdict
from dataclasses import dataclass

from aliquot.kube.pod import Container, Pod


@dataclass(frozen=True, slots=True)
class Wanted:
    """A claim of the pod."""

    name: str
    """Of the ResourceClaim."""
    made_for_pod: bool
    """From a template: it must be the pod's own."""


class NotCreated(Exception):  # noqa: N818 - the kubelet waits for it
    """The claim of a template isn't there yet."""


def claim_names(pod: Pod) -> dict[str, str]:
    """The pod's name of a claim -> the ResourceClaim's; without those that turned out not to be needed.

    Raises:
        NotCreated: the pod's status doesn't name one yet.
    """
    found: dict[str, str] = {}
    for claim in pod.claims:
        name = claim.claim_name
        if name is None:
            if claim.name not in pod.claim_names:
                raise NotCreated(f'pod "{pod.key}": ResourceClaim not created yet')
            name = pod.claim_names[claim.name]
        if name is not None:
            found[claim.name] = name
    return found


def wanted(pod: Pod) -> list[Wanted]:
    """The claims of a pod, the one for extended resources last.

    Raises:
        NotCreated: see `claim_names`.
    """
    names = claim_names(pod)
    found = [Wanted(names[claim.name], claim.claim_name is None) for claim in pod.claims if claim.name in names]
    if pod.extended_claim is not None:
        found.append(Wanted(pod.extended_claim.claim_name, made_for_pod=False))
    return found


def requests_of(pod: Pod, container: Container) -> dict[str, list[str]]:
    """ResourceClaim -> requests of it that a container uses (an empty name: all of them).

    Raises:
        NotCreated: see `claim_names`.
    """
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, claim in claim_names(pod).items():
        for use in container.claims:
            if use.name == name:
                found[claim].append(use.request)
    if pod.extended_claim is not None:
        for name, resource, request in pod.extended_claim.mappings:
            if name == container.name and container.requests.get(resource, 0) > 0:
                found[pod.extended_claim.claim_name].append(request)
    return dict(found)
