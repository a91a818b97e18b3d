"""VolumeRestrictions: a disk that only one pod may have, and a claim that only one pod may use."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from aliquot.kube.pod import Pod, Volume
from aliquot.kube.references import Disk
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.filters.pod_volumes import CLAIM_KIND, ClaimUse
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import claim_in_use
from aliquot.snapshot.load import NodeLoad
from aliquot.snapshot.snapshot import Snapshot

FILTER = "VolumeRestrictions"
NO_DISK = "node(s) had no available disk"
ONE_POD = "ReadWriteOncePod"


@dataclass(frozen=True, slots=True)
class Restrictions:
    """A pod's disks, and its claims that only one pod may use."""

    disks: tuple[Disk, ...]
    single: frozenset[str]
    """Names of those claims."""
    users: int
    """How many of them are in use by pods that have a node."""

    def shifted(self, pod: Pod, change: int) -> "Restrictions":
        """With one pod more (1) or less (-1). As in the scheduler the names alone count, whatever the namespace."""
        if not self.single:
            return self
        same = sum(1 for volume in pod.volumes if volume.kind == CLAIM_KIND and volume.claim_name in self.single)
        return replace(self, users=self.users + change * same)


def restrictions_of(snapshot: Snapshot, pod: Pod, uses: Iterable[ClaimUse]) -> Restrictions | None:
    """What of a pod is restricted; None: nothing."""
    disks = tuple(volume.disk for volume in pod.volumes if volume.disk is not None)
    single = frozenset(
        use.name for use in uses if not use.ephemeral and use.claim is not None and ONE_POD in use.claim.access_modes
    )
    if not disks and not single:
        return None
    used = {name for name in single if _in_use(snapshot, pod.namespace, name)}
    return Restrictions(disks, single, len(used))


def _in_use(snapshot: Snapshot, namespace: str, claim: str) -> bool:
    return any(_uses(other, namespace, claim) for load in snapshot.loads() for other in load.pods.values())


def _uses(pod: Pod, namespace: str, claim: str) -> bool:
    return pod.namespace == namespace and any(v.kind == CLAIM_KIND and v.claim_name == claim for v in pod.volumes)


def restricted(restrictions: Restrictions, load: NodeLoad, kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """The first of the two that a node fails the pod in."""
    for disk in restrictions.disks:
        for other in load.pods.values():
            if any(_clash(disk, volume) for volume in other.volumes):
                return (
                    Reason(
                        FILTER,
                        NO_DISK,
                        asked=f"{disk.kind} {'/'.join(disk.identity)}",
                        found=f"in use by {other.key}",
                        subject=disk.kind,
                        preemptible=True,
                    ),
                )
    if restrictions.users > 0:
        return (
            Reason(
                FILTER,
                claim_in_use(kubernetes),
                asked="a claim for itself alone",
                found="another pod uses it",
                subject=", ".join(sorted(restrictions.single)),
                preemptible=True,
            ),
        )
    return ()


def _clash(disk: Disk, volume: Volume) -> bool:
    there = volume.disk
    if there is None or there.kind != disk.kind or there.identity != disk.identity:
        return False
    if disk.kind == "awsElasticBlockStore":
        return True
    if disk.kind == "rbd" and not disk.monitors & there.monitors:
        return False
    return not (disk.read_only and there.read_only)
