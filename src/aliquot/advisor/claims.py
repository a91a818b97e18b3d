"""Claims in what-ifs: given back with their pods, changed in place of their template, bound with a pod."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from aliquot.allocation.claims.bound import bound_claims
from aliquot.allocation.claims.leaving import claim_keys, without_pod
from aliquot.allocation.claims.pod_check import Gates, MakeEngine, PodCheck, prepare
from aliquot.dra.claim import Claim, ClaimSpec, Request, SubRequest
from aliquot.kube.pod import Pod
from aliquot.snapshot.snapshot import Snapshot


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


def bound(snapshot: Snapshot, pod: Pod, node: str, gates: Gates, make_engine: MakeEngine) -> Snapshot | None:
    """With a pod on a node and its claims allocated there; None if the node doesn't serve them."""
    check = prepare(snapshot, pod, gates, make_engine)
    placed = snapshot.with_pod(replace(pod, node_name=node, nominated_node="", phase="Running"))
    if check is None:
        return placed
    if not isinstance(check, PodCheck) or check.check(snapshot.load(node)):
        return None
    for claim in bound_claims(check, snapshot.load(node)):
        placed = placed.with_object(claim)
    return placed


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
