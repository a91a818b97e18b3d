"""NodeVolumeLimits: how many volumes a CSI driver can attach to a node. Only CSI's own volumes are counted."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.storage import (
    CsiNode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from aliquot.scheduling.filters.pod_volumes import claim_uses
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import counts_attachments
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

FILTER = "NodeVolumeLimits"
TEXT = "node(s) exceed max volume count"


@dataclass(frozen=True, slots=True)
class Limits:
    """The volumes that a pod brings, and where to look what a node has."""

    snapshot: Snapshot
    brings: frozenset[tuple[str, str]]
    """(driver, handle)."""


def limits_of(snapshot: Snapshot, pod: Pod) -> Limits | None:
    """None: it brings no volume that is counted, or the input doesn't hold what would tell."""
    if not {"CSINode", "PersistentVolume"} <= snapshot.kinds:
        return None
    brings = _volumes(snapshot, pod)
    return Limits(snapshot, brings) if brings else None


def too_many(limits: Limits, load: NodeLoad, kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """A driver that can't attach so many on this node."""
    node = limits.snapshot.objects(CsiNode).get(load.node.name)
    drivers = {driver for driver, _ in limits.brings}
    if node is None or not any(node.limits.get(driver) is not None for driver in drivers):
        return ()
    there: set[tuple[str, str]] = set()
    for pod in load.pods.values():
        there |= _volumes(limits.snapshot, pod)
    fresh = Counter(driver for driver, _ in limits.brings - there)
    if counts_attachments(kubernetes):
        there |= _attachments(limits.snapshot).get(load.node.name, frozenset())
    used = Counter(driver for driver, _ in there)
    for driver, count in fresh.items():
        most = node.limits.get(driver)
        if most is not None and used[driver] + count > most:
            return (
                Reason(
                    FILTER,
                    TEXT,
                    asked=f"{count} of {driver}",
                    found=f"{used[driver]} of {most} attached",
                    preemptible=True,
                    subject=driver,
                    asked_amount=count,
                    used_amount=used[driver],
                    total_amount=most,
                ),
            )
    return ()


def _volumes(snapshot: Snapshot, pod: Pod) -> frozenset[tuple[str, str]]:
    """The CSI volumes of a pod; one that isn't made yet counts under its claim's name."""
    found: set[tuple[str, str]] = set()
    if not pod.volumes:
        return frozenset()
    volumes, classes = snapshot.objects(PersistentVolume), snapshot.objects(StorageClass)
    for use in claim_uses(snapshot, pod):
        claim = use.claim
        if claim is None:
            continue
        volume = volumes.get(claim.volume_name) if claim.volume_name else None
        if volume is not None:
            if volume.driver and volume.handle:
                found.add((volume.driver, volume.handle))
            continue
        made_by = classes.get(claim.class_name or "")
        if made_by is not None and made_by.provisioner and not made_by.provisioner.startswith("kubernetes.io/"):
            found.add((made_by.provisioner, _pending_handle(claim)))
    return frozenset(found)


def _pending_handle(claim: PersistentVolumeClaim) -> str:
    return f"\0{claim.meta.key}"


def _attachments(snapshot: Snapshot) -> Mapping[str, frozenset[tuple[str, str]]]:
    return snapshot.recall("attachments", _attached)


def _attached(snapshot: Snapshot) -> Mapping[str, frozenset[tuple[str, str]]]:
    volumes = snapshot.objects(PersistentVolume)
    found: dict[str, set[tuple[str, str]]] = {}
    for attachment in snapshot.objects(VolumeAttachment).values():
        volume = volumes.get(attachment.volume_name or "")
        if volume is not None and volume.driver and attachment.attacher:
            found.setdefault(attachment.node, set()).add((attachment.attacher, volume.handle))
    return {node: frozenset(attached) for node, attached in found.items()}
