"""A pod's claims on volumes that aren't there, or that nobody binds."""

from collections.abc import Iterator

from aliquot.kube.pod import Pod
from aliquot.kube.storage import PersistentVolumeClaim, StorageClass
from aliquot.scheduling.blockers.blocker import Blocker, Evidence, ObjectRef, event_evidence, pod_ref
from aliquot.scheduling.blockers.nearest_name import nearest_name
from aliquot.scheduling.filters.pod_volumes import (
    ClaimUse,
    claim_uses,
    claims_volumes,
    said_of,
    volume_of,
    waits_for_consumer,
)
from aliquot.snapshot.snapshot import Snapshot


def volume_blockers(snapshot: Snapshot, pod: Pod) -> Iterator[Blocker]:
    """A claim that waits for its first pod is no fault."""
    if not claims_volumes(pod):
        return
    for use in claim_uses(snapshot, pod):
        if use.absent:
            yield _missing(snapshot, pod, use)
        elif use.claim is not None:
            yield from _unready(snapshot, pod, use.claim)


def _missing(snapshot: Snapshot, pod: Pod, use: ClaimUse) -> Blocker:
    ref = ObjectRef("PersistentVolumeClaim", pod.namespace, use.name)
    held = "PersistentVolumeClaim" in snapshot.kinds
    evidence = [Evidence(source="absence", about=ref)] if held else []
    return Blocker(
        kind="claim-missing", stage="scheduling", object=ref, evidence=(*evidence, *_said(pod)), subject=use.volume.name
    )


def _said(pod: Pod) -> tuple[Evidence, ...]:
    """What the scheduler said of the pod, if it speaks of volumes."""
    message = said_of(pod)
    if "persistentvolume" not in message.lower():
        return ()
    when = pod.scheduled.changed if pod.scheduled else None
    return (Evidence(source="condition", about=pod_ref(pod), reason="PodScheduled", message=message, when=when),)


def _unready(snapshot: Snapshot, pod: Pod, claim: PersistentVolumeClaim) -> Iterator[Blocker]:
    ref = ObjectRef("PersistentVolumeClaim", claim.meta.namespace, claim.meta.name)
    told = tuple(map(event_evidence, snapshot.events_about(ref.kind, ref.namespace, ref.name)))
    status = Evidence(source="status", about=ref, reason=claim.phase)
    if claim.phase == "Lost":
        volume = ObjectRef("PersistentVolume", "", claim.volume_name)
        yield Blocker(
            kind="claim-lost", stage="scheduling", object=ref, others=(volume,), evidence=(status, *told, *_said(pod))
        )
    elif claim.bound:
        gone = volume_of(snapshot, claim) is None and "PersistentVolume" in snapshot.kinds
        if gone:
            volume = ObjectRef("PersistentVolume", "", claim.volume_name)
            absent = Evidence(source="absence", about=volume)
            yield Blocker(
                kind="volume-missing", stage="scheduling", object=volume, others=(ref,), evidence=(absent, *_said(pod))
            )
    else:
        waits = waits_for_consumer(snapshot, pod, claim)
        if waits and not claim.volume_name:
            return
        yield Blocker(
            kind="claim-unbound",
            stage="scheduling",
            object=ref,
            others=tuple(_class_ref(claim)),
            evidence=(status, *_class_evidence(snapshot, claim), *told, *_said(pod)),
            certain=waits is not None,
            decisive=waits is not None,
            subject=claim.class_name or "",
            nearest=_nearest_class(snapshot, claim),
        )


def _class_ref(claim: PersistentVolumeClaim) -> Iterator[ObjectRef]:
    if claim.class_name:
        yield ObjectRef("StorageClass", "", claim.class_name)


def _class_evidence(snapshot: Snapshot, claim: PersistentVolumeClaim) -> Iterator[Evidence]:
    """That the class doesn't exist, or what it is."""
    for ref in _class_ref(claim):
        there = snapshot.objects(StorageClass).get(ref.name)
        if there is not None:
            yield Evidence(source="object", about=ref, reason=there.binding_mode, message=there.provisioner)
        elif "StorageClass" in snapshot.kinds:
            yield Evidence(source="absence", about=ref)


def _nearest_class(snapshot: Snapshot, claim: PersistentVolumeClaim) -> str:
    classes = snapshot.objects(StorageClass)
    if not claim.class_name or claim.class_name in classes:
        return ""
    return nearest_name(claim.class_name, classes)
