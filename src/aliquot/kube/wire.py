"""The JSON shapes of the core kinds, as far as they are read: camelCase names, everything else ignored.

Null means absent, as in Go. Parts that repeat from object to object (labels, resources, tolerations, affinity) stay raw
bytes here, so that equal bytes are decoded once (`kube.memo`).
"""

from typing import Annotated

import msgspec

from aliquot.kube.shape import ABSENT, Amount, Holds, Int32, Int64, Minor


class Wire(msgspec.Struct, rename="camel", gc=False):
    """A shape: every field may be absent or null unless it has no default."""


MinorText = Annotated[str | None, Minor()]
Strings = list[str]
Labels = Annotated[msgspec.Raw, Holds(dict[str, str | None])]
Annotations = Annotated[msgspec.Raw, Holds(dict[str, str | None]), Minor()]
Amounts = Annotated[msgspec.Raw, Holds(dict[str, Amount])]


class WireOwner(Wire):
    """metadata.ownerReferences[]."""

    kind: str | None = None
    name: str | None = None
    uid: str | None = None
    controller: bool | None = None
    api_version: str | None = None


class WireMeta(Wire):
    """ObjectMeta."""

    name: str
    namespace: str | None = None
    uid: str | None = None
    labels: Labels = ABSENT
    annotations: Annotations = ABSENT
    owner_references: Annotated[msgspec.Raw, Holds(list[WireOwner])] = ABSENT
    creation_timestamp: MinorText = None
    deletion_timestamp: str | None = None
    generation: Annotated[Int64 | None, Minor()] = None
    resource_version: MinorText = None


class WireTemplateMeta(Wire):
    """The metadata of a template: no name is due."""

    name: str | None = None
    labels: Labels = ABSENT
    annotations: Annotations = ABSENT


class WireTaint(Wire):
    """spec.taints[] of a node."""

    key: str
    effect: str
    value: str | None = None


class WireNodeSpec(Wire):
    """spec of a node."""

    taints: list[WireTaint] | None = None
    unschedulable: bool | None = None


class WireCondition(Wire):
    """A condition of any kind."""

    type: str | None = None
    status: str | None = None
    reason: str | None = None
    message: MinorText = None


class WireNodeInfo(Wire):
    """status.nodeInfo."""

    kubelet_version: MinorText = None


class WireImage(Wire):
    """status.images[]."""

    names: Strings | None = None


class WireNodeStatus(Wire):
    """status of a node."""

    allocatable: Amounts = ABSENT
    capacity: Amounts = ABSENT
    conditions: list[WireCondition] | None = None
    node_info: WireNodeInfo | None = None
    declared_features: Strings | None = None
    images: Annotated[msgspec.Raw, Holds(list[WireImage]), Minor()] = ABSENT


class WireNode(Wire):
    """v1 Node."""

    metadata: WireMeta
    spec: WireNodeSpec | None = None
    status: WireNodeStatus | None = None


class WireRequirement(Wire):
    """An expression of a label or node selector."""

    key: str
    operator: str
    values: Strings | None = None


class WireLabelSelector(Wire):
    """metav1.LabelSelector."""

    match_labels: Labels = ABSENT
    match_expressions: list[WireRequirement] | None = None


class WireNodeTerm(Wire):
    """A term of a node selector."""

    match_expressions: list[WireRequirement] | None = None
    match_fields: list[WireRequirement] | None = None


class WireNodeSelector(Wire):
    """v1.NodeSelector."""

    node_selector_terms: list[WireNodeTerm] | None = None


class WireNodeAffinity(Wire):
    """spec.affinity.nodeAffinity; preferred terms aren't read."""

    required_during_scheduling_ignored_during_execution: WireNodeSelector | None = None


class WirePodTerm(Wire):
    """A required term of podAffinity or podAntiAffinity."""

    topology_key: str
    label_selector: WireLabelSelector | None = None
    namespaces: Strings | None = None
    namespace_selector: WireLabelSelector | None = None
    match_label_keys: Strings | None = None
    mismatch_label_keys: Strings | None = None


class WirePodAffinity(Wire):
    """spec.affinity.podAffinity and podAntiAffinity."""

    required_during_scheduling_ignored_during_execution: list[WirePodTerm] | None = None


class WireAffinity(Wire):
    """spec.affinity."""

    node_affinity: WireNodeAffinity | None = None
    pod_affinity: WirePodAffinity | None = None
    pod_anti_affinity: WirePodAffinity | None = None


class WireToleration(Wire):
    """spec.tolerations[]."""

    key: str | None = None
    operator: str | None = None
    value: str | None = None
    effect: str | None = None
    toleration_seconds: Int64 | None = None


class WireSpread(Wire):
    """spec.topologySpreadConstraints[]."""

    max_skew: Int32
    topology_key: str
    when_unsatisfiable: str | None = None
    label_selector: WireLabelSelector | None = None
    min_domains: Int32 | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: Strings | None = None


class WirePort(Wire):
    """ports[] of a container."""

    container_port: Int32 | None = None
    host_port: Int32 | None = None
    host_ip: str | None = msgspec.field(name="hostIP", default=None)
    protocol: str | None = None


class WireContainerClaim(Wire):
    """resources.claims[] of a container."""

    name: str
    request: str | None = None


class WireResources(Wire):
    """resources of a container or of a pod."""

    requests: dict[str, Amount] | None = None
    limits: dict[str, Amount] | None = None
    claims: list[WireContainerClaim] | None = None


class WireRestartRule(Wire):
    """restartPolicyRules[] of a container."""

    action: str | None = None


class WireContainer(Wire):
    """A container or an init container."""

    name: str | None = None
    image: str | None = None
    resources: Annotated[msgspec.Raw, Holds(WireResources)] = ABSENT
    ports: Annotated[msgspec.Raw, Holds(list[WirePort])] = ABSENT
    restart_policy: str | None = None
    restart_policy_rules: list[WireRestartRule] | None = None


class WireGate(Wire):
    """spec.schedulingGates[]."""

    name: str


class WirePodClaimSource(Wire):
    """spec.resourceClaims[].source, up to Kubernetes 1.30."""

    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class WirePodClaim(Wire):
    """spec.resourceClaims[]."""

    name: str
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None
    source: WirePodClaimSource | None = None


class WireVolumeClaim(Wire):
    """The persistentVolumeClaim source of a volume."""

    claim_name: str | None = None


class WireVolume(Wire):
    """What is read of a volume, beside the name of its source's field."""

    name: str | None = None
    persistent_volume_claim: WireVolumeClaim | None = None


class WireSchedulingGroup(Wire):
    """spec.schedulingGroup (1.36) and spec.workloadRef (1.35)."""

    pod_group_name: str | None = None
    pod_group: str | None = None


class WirePodSpec(Wire):
    """spec of a pod."""

    containers: list[WireContainer] | None = None
    init_containers: list[WireContainer] | None = None
    node_name: str | None = None
    priority: Int32 | None = None
    priority_class_name: str | None = None
    preemption_policy: str | None = None
    scheduler_name: str | None = None
    scheduling_gates: list[WireGate] | None = None
    node_selector: Labels = ABSENT
    affinity: Annotated[msgspec.Raw, Holds(WireAffinity)] = ABSENT
    tolerations: Annotated[msgspec.Raw, Holds(list[WireToleration])] = ABSENT
    topology_spread_constraints: Annotated[msgspec.Raw, Holds(list[WireSpread])] = ABSENT
    overhead: Amounts = ABSENT
    resources: WireResources | None = None
    host_network: bool | None = None
    host_users: bool | None = None
    volumes: list[Annotated[dict[str, msgspec.Raw], Holds(WireVolume)]] | None = None
    resource_claims: list[WirePodClaim] | None = None
    scheduling_group: WireSchedulingGroup | None = None
    workload_ref: WireSchedulingGroup | None = None


class WireClaimStatus(Wire):
    """status.resourceClaimStatuses[]."""

    name: str
    resource_claim_name: str | None = None


class WireMapping(Wire):
    """status.extendedResourceClaimStatus.requestMappings[]."""

    container_name: str | None = None
    resource_name: str | None = None
    request_name: str | None = None


class WireExtendedClaim(Wire):
    """status.extendedResourceClaimStatus."""

    resource_claim_name: str
    request_mappings: list[WireMapping] | None = None


class WirePodStatus(Wire):
    """status of a pod."""

    phase: str | None = None
    conditions: Annotated[msgspec.Raw, Holds(list[WireCondition])] = ABSENT
    nominated_node_name: str | None = None
    start_time: MinorText = None
    resource_claim_statuses: list[WireClaimStatus] | None = None
    extended_resource_claim_status: WireExtendedClaim | None = None


class WirePod(Wire):
    """v1 Pod."""

    metadata: WireMeta
    spec: WirePodSpec | None = None
    status: WirePodStatus | None = None


class WirePodTemplate(Wire):
    """spec.template of a workload."""

    metadata: WireTemplateMeta | None = None
    spec: WirePodSpec | None = None


class WireWorkloadSpec(Wire):
    """spec of a workload."""

    replicas: Int32 | None = None
    template: WirePodTemplate | None = None


class WireWorkloadStatus(Wire):
    """status of a workload."""

    conditions: list[WireCondition] | None = None


class WireWorkload(Wire):
    """Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, ReplicationController."""

    metadata: WireMeta
    spec: WireWorkloadSpec | None = None
    status: WireWorkloadStatus | None = None


class WireJobTemplate(Wire):
    """spec.jobTemplate of a CronJob."""

    spec: WireWorkloadSpec | None = None


class WireCronJobSpec(Wire):
    """spec of a CronJob."""

    job_template: WireJobTemplate | None = None


class WireCronJob(Wire):
    """batch/v1 CronJob."""

    metadata: WireMeta
    spec: WireCronJobSpec | None = None


class WireNamespace(Wire):
    """v1 Namespace."""

    metadata: WireMeta


class WirePriorityClass(Wire):
    """scheduling.k8s.io/v1 PriorityClass."""

    metadata: WireMeta
    value: Int32
    global_default: bool | None = None
    preemption_policy: str | None = None


class WireObjectReference(Wire):
    """involvedObject (v1) and regarding (events.k8s.io) of an event."""

    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class WireSeries(Wire):
    """series of an event."""

    count: Int32 | None = None
    last_observed_time: str | None = None


class WireEvent(Wire):
    """v1 and events.k8s.io/v1 Event."""

    metadata: WireMeta
    involved_object: WireObjectReference | None = None
    regarding: WireObjectReference | None = None
    reason: str | None = None
    message: str | None = None
    note: str | None = None
    type: str | None = None
    count: Int32 | None = None
    deprecated_count: Int32 | None = None
    last_timestamp: str | None = None
    deprecated_last_timestamp: str | None = None
    event_time: str | None = None
    series: WireSeries | None = None
