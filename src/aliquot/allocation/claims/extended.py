"""Extended resources that a device class serves: which class, and the claim that kube-scheduler makes of a pod.

A class serves the resource that its `extendedResourceName` names, and always
`deviceclass.resource.kubernetes.io/NAME`. Source: kube-scheduler 1.36.2, dynamicresources/extendeddynamicresources.go.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from aliquot.dra.claim import Claim, ClaimSpec, DeviceClass, Request, SubRequest
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Container, ExtendedResourceClaim, Pod

CLASS_PREFIX: Final = "deviceclass.resource.kubernetes.io/"
ANNOTATION: Final = "resource.kubernetes.io/extended-resource-claim"
"""On a claim: it was made for a pod's extended resources."""
IN_MEMORY: Final = "<extended-resources>"
"""The name of such a claim until the API server gives it one."""

Mapped = tuple[str, str, str]
"""(container name, resource name, request name)."""


def classes_by_resource(classes: Iterable[DeviceClass]) -> Mapping[str, DeviceClass]:
    """Returns resource name -> the class that serves it. Of two with the same name the newer counts, then the name."""
    ordered = sorted(classes, key=lambda device_class: device_class.meta.name, reverse=True)
    ordered.sort(key=lambda device_class: device_class.meta.created or "")
    served = {each.extended_resource: each for each in ordered if each.extended_resource}
    return served | {CLASS_PREFIX + each.meta.name: each for each in ordered}


def is_extended(resource: str) -> bool:
    """Says whether a resource is an extended one, or named after a class: neither cpu nor Kubernetes' own."""
    if resource.startswith(CLASS_PREFIX):
        return True
    return "/" in resource and "kubernetes.io/" not in resource and not resource.startswith("requests.")


def earlier_claim(pod: Pod, claims: Iterable[Claim]) -> Claim | None:
    """Returns the claim that an earlier scheduling cycle made for the pod's extended resources."""
    for claim in claims:
        if claim.meta.annotations.get(ANNOTATION) == "true" and any(
            owner.controller and owner.name == pod.name and owner.uid == pod.meta.uid for owner in claim.meta.owners
        ):
            return claim
    return None


def new_claim(pod: Pod) -> Claim:
    """Returns the claim, still without requests: those depend on the node."""
    owner = Owner("Pod", pod.name, pod.meta.uid, controller=True, api_version="v1")
    meta = Meta(IN_MEMORY, pod.namespace, annotations={ANNOTATION: "true"}, owners=(owner,))
    return Claim(meta, ClaimSpec())


def claim_for(claim: Claim, pod: Pod, served: Mapping[str, DeviceClass]) -> tuple[Claim, ExtendedResourceClaim]:
    """Returns the claim with the requests that a node needs, and which container uses which request.

    Args:
        claim: without requests.
        pod: the pod.
        served: the resources that the node must provide by devices, and the class that serves each.
    """
    requests: list[Request] = []
    mapped: list[Mapped] = []
    for resource in sorted(served):
        more, uses = _requests(pod, resource, served[resource].meta.name)
        requests += more
        mapped += uses
    requests.sort(key=lambda request: request.name)
    spec = ClaimSpec(tuple(requests))
    return replace(claim, spec=spec), ExtendedResourceClaim(claim.meta.name, tuple(mapped))


def _requests(pod: Pod, resource: str, class_name: str) -> tuple[list[Request], list[Mapped]]:
    """Requests of all containers for one resource.

    Init containers end before the others start, so they may use the devices of later ones; beyond that they share the
    request of the greediest of them.
    """
    containers = (*pod.init_containers, *pod.containers)
    short_lived = [i for i, container in enumerate(pod.init_containers) if not container.sidecar]
    lasting: list[Request | None] = [None] * len(containers)
    mapped: list[Mapped] = []
    for index, container in enumerate(containers):
        if index not in short_lived:
            lasting[index], uses = _request(index, container, resource, class_name, ())
            mapped += uses
    greediest: Request | None = None
    names: set[str] = set()
    early: list[Mapped] = []
    for index in short_lived:
        request, uses = _request(index, containers[index], resource, class_name, lasting[index:])
        early += uses
        if request is not None:
            names.add(request.name)
            if greediest is None or _count(greediest) < _count(request):
                greediest = request
    if greediest is not None:
        early = [(who, what, greediest.name if name in names else name) for who, what, name in early]
    found = [request for request in (greediest, *lasting) if request is not None]
    return found, mapped + early


def _request(
    index: int, container: Container, resource: str, class_name: str, usable: Sequence[Request | None]
) -> tuple[Request | None, list[Mapped]]:
    wanted = container.requests.get(resource, 0)
    if not wanted:
        return None, []
    uses: list[Mapped] = []
    there = 0
    for request in usable:
        if request is not None:
            there += _count(request)
            uses.append((container.name, resource, request.name))
            if there >= wanted:
                return None, uses
    name = f"container-{index}-request-{sorted(container.requests).index(resource)}"
    uses.append((container.name, resource, name))
    return Request(name, SubRequest(name, class_name, count=wanted - there)), uses


def _count(request: Request) -> int:
    return request.exactly.count if request.exactly is not None else 0
