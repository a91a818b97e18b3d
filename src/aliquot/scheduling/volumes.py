"""The volume filters' PreFilter: what is found out once of a pod's volumes, and what ends the cycle before any node."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from aliquot.kube.pod import Pod
from aliquot.kube.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from aliquot.scheduling.filters import volume_binding, volume_restrictions, volume_zone
from aliquot.scheduling.filters.node_volume_limits import Limits, limits_of
from aliquot.scheduling.filters.pod_volumes import (
    UNBOUND,
    ClaimUse,
    claim_uses,
    claims_volumes,
    makes_volumes,
    said_of,
    volume_of,
    waits_for_consumer,
)
from aliquot.scheduling.filters.volume_binding import Binding, Delayed
from aliquot.scheduling.filters.volume_restrictions import Restrictions, restrictions_of
from aliquot.scheduling.filters.volume_zone import VolumeTopology, topologies_of
from aliquot.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Rejection:
    """The volumes rule out all nodes at once."""

    filter: str
    text: str
    """In the scheduler's words."""
    claim: str
    """Name of the claim that is at fault."""


@dataclass(frozen=True, slots=True)
class PodVolumes:
    """What the volume filters need of a pod."""

    restrictions: Restrictions | None
    limits: Limits | None
    binding: Binding
    topologies: tuple[VolumeTopology, ...]

    def shifted(self, pod: Pod, change: int) -> "PodVolumes":
        """With one pod more (1) or less (-1) on a node."""
        return self if self.restrictions is None else replace(self, restrictions=self.restrictions.shifted(pod, change))


def volumes_of(snapshot: Snapshot, pod: Pod) -> PodVolumes | Rejection | None:
    """Look at a pod's volumes once; None: it has none that any of these filters looks at."""
    if not pod.volumes or not claims_volumes(pod):
        return None
    uses = claim_uses(snapshot, pod)
    # In the order of the plugins: VolumeRestrictions, VolumeBinding, VolumeZone.
    refused = _missing(uses) or _unusable(pod, uses) or _unbound(snapshot, pod, uses)
    if refused is not None:
        return refused
    bound: list[tuple[PersistentVolumeClaim, PersistentVolume | None]] = []
    delayed: list[Delayed] = []
    zoned: list[PersistentVolume] = []
    held = "PersistentVolume" in snapshot.kinds
    for use in uses:
        claim = use.claim
        if claim is None:
            continue
        if not claim.bound:
            if waits_for_consumer(snapshot, pod, claim):
                one = _delayed(snapshot, claim)
                if held or makes_volumes(one.storage_class):
                    delayed.append(one)
            continue
        volume = volume_of(snapshot, claim)
        if volume is None and not use.ephemeral and _is_gone(pod, claim, held=held):
            text = f'persistentvolume "{claim.volume_name}" not found'
            return Rejection(volume_zone.FILTER, text, claim.meta.name)
        if volume is not None or held:
            bound.append((claim, volume))
        if volume is not None and not use.ephemeral:
            zoned.append(volume)
    return PodVolumes(
        restrictions_of(snapshot, pod, uses),
        limits_of(snapshot, pod),
        Binding(tuple(bound), tuple(delayed)),
        topologies_of(zoned),
    )


def _is_gone(pod: Pod, claim: PersistentVolumeClaim, *, held: bool) -> bool:
    return held or f'persistentvolume "{claim.volume_name}" not found' in said_of(pod)


def _missing(uses: Iterable[ClaimUse]) -> Rejection | None:
    for use in uses:
        if use.absent and not use.ephemeral:
            return Rejection(volume_restrictions.FILTER, f'persistentvolumeclaim "{use.name}" not found', use.name)
    return None


def _unusable(pod: Pod, uses: Iterable[ClaimUse]) -> Rejection | None:
    for use in uses:
        claim, name = use.claim, use.name
        if use.absent:
            text = f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
            return Rejection(volume_binding.FILTER, text, name)
        if claim is None:
            continue
        if claim.phase == "Lost":
            text = f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{claim.volume_name}"'
            return Rejection(volume_binding.FILTER, text, name)
        if claim.meta.deleted is not None:
            return Rejection(volume_binding.FILTER, f'persistentvolumeclaim "{name}" is being deleted', name)
        if use.ephemeral and not _owned(claim, pod):
            text = f"PVC {claim.meta.key} was not created for pod {pod.key} (pod is not owner)"
            return Rejection(volume_binding.FILTER, text, name)
    return None


def _owned(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    owner = claim.meta.controller
    return owner is not None and owner.kind == "Pod" and owner.uid == pod.meta.uid


def _unbound(snapshot: Snapshot, pod: Pod, uses: Iterable[ClaimUse]) -> Rejection | None:
    for use in uses:
        claim = use.claim
        if claim is None or claim.bound:
            continue
        if claim.volume_name or waits_for_consumer(snapshot, pod, claim) is False:
            return Rejection(volume_binding.FILTER, UNBOUND, use.name)
    return None


def _delayed(snapshot: Snapshot, claim: PersistentVolumeClaim) -> Delayed:
    name = claim.class_name or ""
    volumes = snapshot.recall("volumes by class", _by_class).get(name, ())
    return Delayed(claim, volumes, snapshot.objects(StorageClass).get(name))


def _by_class(snapshot: Snapshot) -> dict[str, tuple[PersistentVolume, ...]]:
    found: dict[str, list[PersistentVolume]] = {}
    for volume in snapshot.objects(PersistentVolume).values():
        found.setdefault(volume.class_name, []).append(volume)
    return {name: tuple(volumes) for name, volumes in found.items()}
