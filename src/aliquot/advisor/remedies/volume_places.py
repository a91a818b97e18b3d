"""Volumes of a pod that only some nodes reach: which claims, and which labels a node must have."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aliquot.kube.pod import Pod
from aliquot.kube.storage import PersistentVolume, PersistentVolumeClaim
from aliquot.scheduling.filters.pod_volumes import claim_uses, volume_of
from aliquot.scheduling.filters.volume_zone import topologies_of
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Place:
    """A bound claim of a pod whose volume is bound to a place."""

    use: str
    """The pod's name for the volume; empty where the claim is made for the pod."""
    claim: PersistentVolumeClaim
    volume: PersistentVolume
    labels: Mapping[str, str]
    """What a node must have: of several values that would do the first."""


def places_of(snapshot: Snapshot, pod: Pod) -> Iterator[Place]:
    """In the order of the pod's volumes."""
    for use in claim_uses(snapshot, pod):
        volume = volume_of(snapshot, use.claim) if use.claim is not None and use.claim.bound else None
        if use.claim is None or volume is None:
            continue
        labels = {one.key: min(one.values) for one in topologies_of([volume])}
        terms = volume.node_affinity.terms if volume.node_affinity is not None else ()
        for term in terms[:1]:
            labels |= {one.key: one.values[0] for one in term.expressions if one.operator == "In" and one.values}
        if labels or terms:
            yield Place("" if use.ephemeral else use.volume.name, use.claim, volume, labels)
