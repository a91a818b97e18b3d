"""The claims of a cluster while pods come and go, and one exact allocator that is told of every change."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from aliquot.allocation.claims.bound import bound_claims, extended_status
from aliquot.allocation.claims.extended import ANNOTATION
from aliquot.allocation.claims.leaving import claim_keys, without_pod
from aliquot.allocation.claims.pod_check import Checked, Offer, PodCheck, offer_of, prepare_in
from aliquot.allocation.claims.pod_claims import NotReady, generate
from aliquot.allocation.engines import Engines
from aliquot.allocation.exact.live import LiveExact
from aliquot.dra.claim import Claim, ClaimAllocation, ClaimSpec
from aliquot.kube.pod import ExtendedResourceClaim, Pod
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot


@dataclass(slots=True, eq=False)
class LiveClaims:
    """Claims as they are now. As a `ClaimFilter` it answers for snapshots that hold these claims."""

    start: Snapshot
    """The cluster at first. Classes, slices, templates and namespaces stay as they are there."""
    engine: LiveExact
    offer: Offer
    changes: dict[str, Claim | None] = field(default_factory=dict[str, Claim | None])
    """What differs from the start; None: gone."""
    news: dict[str, Claim | None] = field(default_factory=dict[str, Claim | None])
    """What has changed since somebody emptied this."""
    _extended: dict[str, list[Claim]] = field(default_factory=dict[str, list[Claim]])
    """UID of a pod -> claims that were made for its extended resources before the start."""
    _specs: dict[Hashable, list[ClaimSpec]] = field(default_factory=dict[Hashable, list[ClaimSpec]])

    @classmethod
    def of(cls, start: Snapshot, engines: Engines) -> "LiveClaims":
        """Begin with a snapshot's claims."""
        offer = offer_of(start, engines.kubernetes)
        live = cls(start, LiveExact(engines.exact(offer.supply())), offer)
        for claim in start.claims.values():
            owner = claim.meta.controller
            if owner is not None and claim.meta.annotations.get(ANNOTATION) == "true":
                live._extended.setdefault(owner.uid, []).append(claim)
        return live

    def get(self, key: str) -> Claim | None:
        """A claim as it is now."""
        return self.changes[key] if key in self.changes else self.start.claims.get(key)

    def generated(self, pod: Pod) -> tuple[Pod, Mapping[str, Claim]] | NotReady:
        """A pod with names for the claims that its templates make, and those claims, which are nowhere else yet."""
        missing = [one for one in pod.claims if one.template_name is not None and one.name not in pod.claim_names]
        if not missing:
            return pod, {}
        made = generate(pod, self.start.templates, self.start.namespaces, {})
        if isinstance(made, NotReady):
            return made
        names = {one.name: claim.meta.name for one, claim in zip(missing, made, strict=True)}
        fresh = {claim.meta.key: claim for claim in made if self.get(claim.meta.key) is None}
        return replace(pod, claim_names={**pod.claim_names, **names}), fresh

    def check(self, pod: Pod, fresh: Mapping[str, Claim]) -> Checked:
        """Look at a pod's claims once; `fresh`: those just generated for it."""
        there = dict(fresh)
        for key in claim_keys(pod):
            claim = self.get(key)
            if claim is not None:
                there.setdefault(key, claim)
        for claim in self._extended.get(pod.meta.uid, ()):
            if (now := self.get(claim.meta.key)) is not None:
                there[claim.meta.key] = now
        return prepare_in(self.offer, pod, there, lambda _: self.engine)

    def prepare(self, snapshot: Snapshot, pod: Pod) -> Checked:
        """For `Scheduler`, on a snapshot with the claims as they are now."""
        return prepare_in(self.offer, pod, snapshot.claims, lambda _: self.engine)

    def question(self, check: PodCheck) -> Hashable:
        """What the answers for a pod's claims depend on beside the nodes; None: on more than can be told.

        Claims that are equal but for their names get the same devices, or none, wherever they are tried.
        """
        if any(claim.allocation is not None for claim in check.claims):
            return None
        specs = tuple([self._number(claim.spec) for claim in check.claims])
        if check.extended is None:
            return specs
        if check.extended.spec.requests:
            return None
        containers = (*check.pod.init_containers, *check.pod.containers)
        asked = tuple((one.name, one.sidecar, tuple(one.requests.items())) for one in containers)
        return specs, len(check.pod.init_containers), asked

    def certain(self, check: PodCheck) -> bool:
        """Whether no node can end the attempt with an error; False if that can't be told beforehand."""
        if check.extended is None:
            return not check.fresh or check.asked_for().prepared.never_fatal()
        by_devices = tuple(name for name in check.wanted if name in check.served)
        if check.fresh or len(by_devices) > 1 or check.extended.spec.requests:
            return False
        # Every node either serves the resource itself or is asked for this claim.
        return check.asked_for(by_devices).prepared.never_fatal()

    def bind(self, check: PodCheck, load: NodeLoad) -> ExtendedResourceClaim | None:
        """Allocate and reserve a pod's claims on a node that `check` accepted; what the pod's status then says."""
        given: list[ClaimAllocation] = []
        for claim in bound_claims(check, load):
            before = self.get(claim.meta.key)
            if claim.allocation is not None and (before is None or before.allocation is None):
                given.append(claim.allocation)
            self._put(claim.meta.key, claim)
        self.engine.commit(given)
        return extended_status(check, load.node.name)

    def leave(self, pod: Pod) -> None:
        """Give back what a pod has: its own claims go, shared ones stay with the others."""
        freed: list[ClaimAllocation] = []
        for key in claim_keys(pod):
            before = self.get(key)
            if before is None:
                continue
            after = without_pod(before, pod)
            if before.allocation is not None and (after is None or after.allocation is None):
                freed.append(before.allocation)
            self._put(key, after)
        self.engine.release(freed)

    def _put(self, key: str, claim: Claim | None) -> None:
        self.changes[key] = self.news[key] = claim

    def _number(self, spec: ClaimSpec) -> Hashable:
        """The same for equal specs, which are mostly one object, from one template: then `index` needn't compare."""
        kind = tuple([(request.name, request.exactly and request.exactly.class_name) for request in spec.requests])
        alike = self._specs.setdefault(kind, [])
        try:
            return kind, alike.index(spec)
        except ValueError:
            alike.append(spec)
            return kind, len(alike) - 1
