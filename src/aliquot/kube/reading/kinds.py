"""The kinds that are read: API group, versions, shape and builder of each.

Defaults are those that the API server fills in, so that a manifest reads like the object it would become.
"""

from aliquot.kube import groups as api
from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.groups import GangWorkload, PodGroup, Queue
from aliquot.kube.named import ConfigMap, Lease, RuntimeClass, Secret, ServiceAccount
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.queueing import GROUP as KUEUE
from aliquot.kube.queueing import ClusterQueue, LocalQueue, QueuedWorkload, ResourceFlavor
from aliquot.kube.quotas import LimitRange, ResourceQuota
from aliquot.kube.reading import groups, named, queueing, quotas, storage
from aliquot.kube.reading.events import event
from aliquot.kube.reading.kind import Kind
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.nodes import node
from aliquot.kube.reading.parts import cluster_meta
from aliquot.kube.reading.pods import pod
from aliquot.kube.reading.wire.parts import WireNode
from aliquot.kube.reading.wire.pods import WirePod
from aliquot.kube.reading.wire.workloads import WireCronJob, WireEvent, WireNamespace, WirePriorityClass, WireWorkload
from aliquot.kube.reading.workloads import WorkloadReader
from aliquot.kube.storage import CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttachment
from aliquot.kube.workload import Event, Namespace, PriorityClass, Workload

Noun = (
    Node
    | Pod
    | Namespace
    | PriorityClass
    | Workload
    | Event
    | PersistentVolumeClaim
    | PersistentVolume
    | StorageClass
    | CsiNode
    | VolumeAttachment
    | ResourceQuota
    | LimitRange
    | DisruptionBudget
    | ServiceAccount
    | RuntimeClass
    | ConfigMap
    | Secret
    | Lease
    | PodGroup
    | GangWorkload
    | Queue
    | QueuedWorkload
    | ClusterQueue
    | LocalQueue
    | ResourceFlavor
)


def _namespace(wire: WireNamespace, memo: Memo) -> Namespace:
    return Namespace(cluster_meta(wire.metadata, memo))


def _priority_class(wire: WirePriorityClass, memo: Memo) -> PriorityClass:
    return PriorityClass(
        cluster_meta(wire.metadata, memo),
        wire.value,
        bool(wire.global_default),
        wire.preemption_policy or "PreemptLowerPriority",
    )


def _workload(group: str, kind: str) -> Kind[Workload]:
    return Kind(group, ("v1",), kind, WireWorkload, WorkloadReader(kind).workload)


def _pod_group(group: str, *versions: str) -> Kind[PodGroup]:
    return Kind(group, versions, "PodGroup", groups.WirePodGroup, groups.PodGroupReader(group).group)


def _queue(group: str, *versions: str) -> Kind[Queue]:
    return Kind(group, versions, "Queue", groups.WireQueue, groups.QueueReader(group).queue)


_BETA = ("v1", "v1beta1")
_GANGS = ("v1alpha1", "v1alpha2", "v1alpha3", "v1beta1")
_KUEUE = ("v1beta1", "v1beta2", "v1")

KINDS: tuple[Kind[Noun], ...] = (
    Kind("", ("v1",), "Node", WireNode, node),
    Kind("", ("v1",), "Pod", WirePod, pod),
    Kind("", ("v1",), "Namespace", WireNamespace, _namespace),
    Kind("", ("v1",), "Event", WireEvent, event),
    Kind("events.k8s.io", ("v1",), "Event", WireEvent, event),
    Kind("scheduling.k8s.io", ("v1",), "PriorityClass", WirePriorityClass, _priority_class),
    _workload("apps", "Deployment"),
    _workload("apps", "ReplicaSet"),
    _workload("apps", "StatefulSet"),
    _workload("apps", "DaemonSet"),
    _workload("", "ReplicationController"),
    _workload("batch", "Job"),
    Kind("batch", ("v1",), "CronJob", WireCronJob, WorkloadReader("CronJob").cron_job),
    Kind("", ("v1",), "PersistentVolumeClaim", storage.WirePersistentVolumeClaim, storage.claim),
    Kind("", ("v1",), "PersistentVolume", storage.WirePersistentVolume, storage.volume),
    Kind("storage.k8s.io", _BETA, "StorageClass", storage.WireStorageClass, storage.storage_class),
    Kind("storage.k8s.io", _BETA, "CSINode", storage.WireCsiNode, storage.csi_node),
    Kind("storage.k8s.io", _BETA, "VolumeAttachment", storage.WireVolumeAttachment, storage.attachment),
    Kind("", ("v1",), "ResourceQuota", quotas.WireResourceQuota, quotas.quota),
    Kind("", ("v1",), "LimitRange", quotas.WireLimitRange, quotas.limit_range),
    Kind("policy", _BETA, "PodDisruptionBudget", quotas.WireBudget, quotas.budget),
    Kind("", ("v1",), "ServiceAccount", named.WireNamed, named.service_account),
    Kind("", ("v1",), "ConfigMap", named.WireNamed, named.config_map),
    Kind("", ("v1",), "Secret", named.WireNamed, named.secret),
    Kind("node.k8s.io", _BETA, "RuntimeClass", named.WireRuntimeClass, named.runtime_class),
    Kind("coordination.k8s.io", _BETA, "Lease", named.WireLease, named.lease),
    _pod_group(api.KUBERNETES, *_GANGS),
    Kind(api.KUBERNETES, _GANGS, "Workload", groups.WireGangWorkload, groups.gang_workload),
    _pod_group(api.VOLCANO, "v1beta1", "v1alpha1"),
    _queue(api.VOLCANO, "v1beta1", "v1alpha1"),
    _pod_group(api.KAI, "v2alpha2", "v2"),
    _queue(api.KAI, "v2", "v1"),
    _pod_group(api.SCHEDULER_PLUGINS, "v1alpha1"),
    Kind(KUEUE, _KUEUE, "Workload", queueing.WireQueuedWorkload, queueing.workload),
    Kind(KUEUE, _KUEUE, "ClusterQueue", queueing.WireClusterQueue, queueing.cluster_queue),
    Kind(KUEUE, _KUEUE, "LocalQueue", queueing.WireLocalQueue, queueing.local_queue),
    Kind(KUEUE, _KUEUE, "ResourceFlavor", queueing.WireResourceFlavor, queueing.flavor),
)
