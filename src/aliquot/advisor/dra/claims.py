"""Claims as a person changes them: where each comes from, and its recipes in their places."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from aliquot.dra.claim import Claim, ClaimSpec, Request, SubRequest
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot

DRIVER = re.compile(r"""device\.driver\s*==\s*(["'])([^"']+)\1""")


def wanted_drivers(snapshot: Snapshot, pod: Pod) -> set[str]:
    """The drivers that the classes and selectors of the pod's claims name."""
    return {match[2] for text in selectors_of(snapshot, pod) for match in DRIVER.finditer(text)}


def selectors_of(snapshot: Snapshot, pod: Pod) -> list[str]:
    """The CEL expressions of the pod's claims and their classes."""
    classes = {recipe.class_name for recipe in recipes_of(snapshot, pod)}
    of_classes = [snapshot.classes[name].selectors for name in sorted(classes) if name in snapshot.classes]
    return [*(text for several in of_classes for text in several if text), *own_selectors(snapshot, pod)]


def own_selectors(snapshot: Snapshot, pod: Pod) -> list[str]:
    """The CEL expressions of the pod's claims."""
    return [text for recipe in recipes_of(snapshot, pod) for text in recipe.selectors if text]


def recipes_of(snapshot: Snapshot, pod: Pod) -> list[SubRequest]:
    """All that the pod's claims ask for, alternatives too."""
    found: list[SubRequest] = []
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        template = snapshot.templates.get(f"{pod.namespace}/{wanted.template_name}")
        spec = claim.spec if claim is not None else template.spec if template is not None else None
        for request in spec.requests if spec is not None else ():
            found += [*((request.exactly,) if request.exactly is not None else ()), *request.first_available]
    return found


@dataclass(frozen=True, slots=True)
class Source:
    """Where a pod's claim comes from: the object that a person edits, since a claim itself can't be changed."""

    kind: str
    """ResourceClaimTemplate or ResourceClaim."""
    namespace: str
    name: str
    claim: Claim

    @property
    def base(self) -> str:
        """JSON pointer of spec.devices in that object."""
        return "/spec/spec/devices" if self.kind == "ResourceClaimTemplate" else "/spec/devices"


def sources(snapshot: Snapshot, pod: Pod) -> Mapping[str, Source]:
    """Claim key -> where it comes from, for the pod's claims that exist and aren't allocated."""
    found: dict[str, Source] = {}
    for wanted in pod.claims:
        name = wanted.claim_name or pod.claim_names.get(wanted.name)
        claim = snapshot.claims.get(f"{pod.namespace}/{name}") if name else None
        if claim is None or claim.allocation is not None:
            continue
        kind = "ResourceClaim" if wanted.template_name is None else "ResourceClaimTemplate"
        found[claim.meta.key] = Source(kind, pod.namespace, wanted.template_name or claim.meta.name, claim)
    return found


@dataclass(frozen=True, slots=True)
class Place:
    """One recipe in a claim: the request's index, and the alternative's, if it's one of several."""

    request: int
    alternative: int | None

    @property
    def pointer(self) -> str:
        """JSON pointer below spec.devices."""
        base = f"/requests/{self.request}"
        return f"{base}/exactly" if self.alternative is None else f"{base}/firstAvailable/{self.alternative}"


def places(spec: ClaimSpec) -> Mapping[str, tuple[Place, SubRequest]]:
    """`request` or `request/alternative` -> where it stands, and the recipe."""
    found: dict[str, tuple[Place, SubRequest]] = {}
    for number, request in enumerate(spec.requests):
        if request.exactly is not None:
            found[request.name] = (Place(number, None), request.exactly)
        for index, recipe in enumerate(request.first_available):
            found[f"{request.name}/{recipe.name}"] = (Place(number, index), recipe)
    return found


def changed(spec: ClaimSpec, place: Place, change: Callable[[SubRequest], SubRequest]) -> ClaimSpec:
    """The spec with one recipe changed."""

    def request(one: Request) -> Request:
        if place.alternative is None:
            assert one.exactly is not None
            return replace(one, exactly=change(one.exactly))
        recipes = list(one.first_available)
        recipes[place.alternative] = change(recipes[place.alternative])
        return replace(one, first_available=tuple(recipes))

    return replace(
        spec, requests=tuple(request(one) if n == place.request else one for n, one in enumerate(spec.requests))
    )
