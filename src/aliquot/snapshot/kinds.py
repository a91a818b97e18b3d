"""What API kind a value is of, and under which key a snapshot keeps it."""

from collections.abc import Mapping
from typing import Final, Protocol, cast

from aliquot.dra.claim import Claim, ClaimTemplate
from aliquot.dra.device import Slice, TaintRule
from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.groups import KUBERNETES, GangWorkload, PodGroup, Queue
from aliquot.kube.meta import Meta
from aliquot.kube.named import ConfigMap, Lease, RuntimeClass, Secret, ServiceAccount
from aliquot.kube.queueing import GROUP as KUEUE
from aliquot.kube.queueing import ClusterQueue, LocalQueue, QueuedWorkload, ResourceFlavor
from aliquot.kube.quotas import LimitRange, ResourceQuota
from aliquot.kube.storage import CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment
from aliquot.kube.workload import Workload

OTHERS: Final = frozenset(
    {
        PersistentVolumeClaim,
        PersistentVolume,
        StorageClass,
        CsiNode,
        VolumeAttachment,
        ResourceQuota,
        LimitRange,
        DisruptionBudget,
        ServiceAccount,
        RuntimeClass,
        ConfigMap,
        Secret,
        Lease,
        PodGroup,
        GangWorkload,
        Queue,
        QueuedWorkload,
        ClusterQueue,
        LocalQueue,
        ResourceFlavor,
    }
)
"""Types that a snapshot holds in tables without a field of their own: `Snapshot.objects`."""

_NAMES: Mapping[type, str] = {
    Claim: "ResourceClaim",
    ClaimTemplate: "ResourceClaimTemplate",
    Slice: "ResourceSlice",
    TaintRule: "DeviceTaintRule",
    CsiNode: "CSINode",
    DisruptionBudget: "PodDisruptionBudget",
    GangWorkload: f"Workload.{KUBERNETES}",
    QueuedWorkload: f"Workload.{KUEUE}",
}


def kind_of(value: object) -> str:
    """The API kind: `Pod`, `ResourceClaim`; where several API groups have a kind of this name, `PodGroup.GROUP`."""
    if isinstance(value, Workload):
        return value.kind
    if isinstance(value, PodGroup | Queue):
        return f"{type(value).__name__}.{value.api}"
    return _NAMES.get(type(value), type(value).__name__)


class _Named(Protocol):
    @property
    def meta(self) -> Meta: ...


def key_of(value: object) -> str:
    """`namespace/name`, or the name of cluster-scoped kinds.

    Of workloads `Kind/namespace/name`; `GROUP/...` where several API groups have a kind of this name.
    """
    key = cast("_Named", value).meta.key
    if isinstance(value, Workload):
        return f"{value.kind}/{key}"
    if isinstance(value, PodGroup | Queue):
        return f"{value.api}/{key}"
    return key
