"""A pod's claims on volumes: which there are, and what the input lets one say of each.

An input seldom holds everything. A claim that isn't in it may exist all the same unless it holds claims at all
(`Snapshot.kinds`); then what the scheduler itself said of the pod is the evidence that's left.
"""

from collections.abc import Hashable
from dataclasses import dataclass

from aliquot.kube.pod import Pod, Volume
from aliquot.kube.storage import NO_PROVISIONER, PersistentVolume, PersistentVolumeClaim, StorageClass
from aliquot.snapshot.snapshot import Snapshot

UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
CLAIM_KIND = "persistentVolumeClaim"
EPHEMERAL = "ephemeral"


@dataclass(frozen=True, slots=True)
class ClaimUse:
    """One volume of a pod that is a claim."""

    volume: Volume
    name: str
    """Of the claim."""
    claim: PersistentVolumeClaim | None
    """None: it isn't in the input."""
    absent: bool
    """It's known that there's none."""

    @property
    def ephemeral(self) -> bool:
        """It's made for the pod and goes with it."""
        return self.volume.kind == EPHEMERAL


def claims_volumes(pod: Pod) -> bool:
    """Whether it has any volume that the volume filters look at."""
    return any(volume.kind in {CLAIM_KIND, EPHEMERAL} or volume.disk is not None for volume in pod.volumes)


def volume_key(pod: Pod) -> Hashable:
    """Pods with equal ones are the same to the volume filters."""
    if not pod.volumes or not claims_volumes(pod):
        return None
    used = tuple(
        (one.kind, pod.name if one.kind == EPHEMERAL else "", one.name, one.claim_name, one.disk)
        for one in pod.volumes
        if one.kind in {CLAIM_KIND, EPHEMERAL} or one.disk is not None
    )
    return used, pod.namespace, said_of(pod)


def said_of(pod: Pod) -> str:
    """What the scheduler last said against the pod."""
    return pod.scheduled.message if pod.scheduled is not None and pod.scheduled.status == "False" else ""


def claim_uses(snapshot: Snapshot, pod: Pod) -> tuple[ClaimUse, ...]:
    """Its claims, in the order of its volumes."""
    claims = snapshot.objects(PersistentVolumeClaim)
    found: list[ClaimUse] = []
    for volume in pod.volumes:
        if volume.kind == CLAIM_KIND:
            name = volume.claim_name or ""
        elif volume.kind == EPHEMERAL:
            name = f"{pod.name}-{volume.name}"
        else:
            continue
        claim = claims.get(f"{pod.namespace}/{name}")
        held = "PersistentVolumeClaim" in snapshot.kinds and "PersistentVolumeClaim" not in snapshot.unread
        told = f'persistentvolumeclaim "{name}" not found' in said_of(pod)
        found.append(ClaimUse(volume, name, claim, claim is None and (held or told)))
    return tuple(found)


def waits_for_consumer(snapshot: Snapshot, pod: Pod, claim: PersistentVolumeClaim) -> bool | None:
    """Whether a claim that isn't bound is bound when its pod is scheduled; None: the input doesn't tell.

    A claim without a class, or whose class doesn't exist, is bound at once, or would be.
    """
    if not claim.class_name:
        return False
    there = snapshot.objects(StorageClass).get(claim.class_name)
    if there is not None:
        return there.waits
    if "StorageClass" in snapshot.kinds:
        return False
    if claim.selected_node is not None:
        return True
    for event in snapshot.events_about("PersistentVolumeClaim", claim.meta.namespace, claim.meta.name):
        if event.reason in {"WaitForFirstConsumer", "WaitForPodScheduled"}:
            return True
        if f'storageclass.storage.k8s.io "{claim.class_name}" not found' in event.message:
            return False
    return False if UNBOUND in said_of(pod) else None


def volume_of(snapshot: Snapshot, claim: PersistentVolumeClaim) -> PersistentVolume | None:
    """The volume that a claim is bound to, or asks for; None: it isn't in the input."""
    return snapshot.objects(PersistentVolume).get(claim.volume_name) if claim.volume_name else None


def unjudged(snapshot: Snapshot, pod: Pod) -> tuple[Volume, ...]:
    """Volumes of which the input doesn't tell enough to say what the filters make of them."""
    volumes_held = "PersistentVolume" in snapshot.kinds
    found: list[Volume] = []
    for use in claim_uses(snapshot, pod):
        claim = use.claim
        if use.absent:
            continue
        if claim is None:
            found.append(use.volume)
        elif claim.bound:
            if not volumes_held and volume_of(snapshot, claim) is None:
                found.append(use.volume)
        elif not claim.volume_name:
            waits = waits_for_consumer(snapshot, pod, claim)
            there = snapshot.objects(StorageClass).get(claim.class_name or "")
            if waits is None or (waits and not volumes_held and (there is None or not makes_volumes(there))):
                found.append(use.volume)
    return tuple(found)


def makes_volumes(there: StorageClass | None) -> bool:
    """Whether a class makes volumes on demand; one of which nothing is known is taken to."""
    return there is None or there.provisioner not in {"", NO_PROVISIONER}
