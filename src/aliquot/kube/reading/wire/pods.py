"""The JSON shapes of pods and of pod templates, as far as they are read."""

from typing import Annotated

import msgspec

from aliquot.kube.reading.shape import ABSENT, Amount, Holds, Int32, Minor
from aliquot.kube.reading.wire.parts import (
    Amounts,
    Labels,
    MinorText,
    Strings,
    Wire,
    WireAffinity,
    WireCondition,
    WireMeta,
    WireSpread,
    WireTemplateMeta,
    WireToleration,
)


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


class WireRef(Wire):
    """A reference to a ConfigMap or Secret by name, or to a key of it."""

    name: str | None = None
    optional: bool | None = None


class WireEnvSource(Wire):
    """env[].valueFrom of a container."""

    config_map_key_ref: WireRef | None = None
    secret_key_ref: WireRef | None = None


class WireEnv(Wire):
    """env[] of a container."""

    value_from: WireEnvSource | None = None


class WireEnvFrom(Wire):
    """envFrom[] of a container."""

    config_map_ref: WireRef | None = None
    secret_ref: WireRef | None = None


class WireContainer(Wire):
    """A container or an init container."""

    name: str | None = None
    image: str | None = None
    resources: Annotated[msgspec.Raw, Holds(WireResources)] = ABSENT
    ports: Annotated[msgspec.Raw, Holds(list[WirePort])] = ABSENT
    restart_policy: str | None = None
    restart_policy_rules: list[WireRestartRule] | None = None
    env: Annotated[msgspec.Raw, Holds(list[WireEnv]), Minor()] = ABSENT
    env_from: Annotated[msgspec.Raw, Holds(list[WireEnvFrom]), Minor()] = ABSENT


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


class WireSecretVolume(Wire):
    """The secret source of a volume."""

    secret_name: str | None = None
    optional: bool | None = None


class WireProjection(Wire):
    """sources[] of a projected volume."""

    config_map: WireRef | None = None
    secret: WireRef | None = None


class WireProjected(Wire):
    """The projected source of a volume."""

    sources: list[WireProjection] | None = None


class WireDisk(Wire):
    """What tells a disk from others, of the four kinds that VolumeRestrictions looks at."""

    pd_name: str | None = None
    volume_id: str | None = msgspec.field(name="volumeID", default=None)
    iqn: str | None = None
    monitors: Strings | None = None
    pool: str | None = None
    image: str | None = None
    read_only: bool | None = None


class WireVolume(Wire):
    """What is read of a volume, beside the name of its source's field."""

    name: str | None = None
    persistent_volume_claim: WireVolumeClaim | None = None
    config_map: Annotated[WireRef | None, Minor()] = None
    secret: Annotated[WireSecretVolume | None, Minor()] = None
    projected: Annotated[WireProjected | None, Minor()] = None


class WireSchedulingGroup(Wire):
    """spec.schedulingGroup (1.36) and spec.workloadRef (1.35)."""

    pod_group_name: str | None = None
    pod_group: str | None = None
    name: str | None = None


class WireName(Wire):
    """imagePullSecrets[]."""

    name: str | None = None


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
    service_account_name: MinorText = None
    runtime_class_name: MinorText = None
    image_pull_secrets: Annotated[list[WireName] | None, Minor()] = None


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


class WireWaiting(Wire):
    """state.waiting of a container."""

    reason: str | None = None
    message: str | None = None


class WireTerminated(Wire):
    """state.terminated of a container."""

    reason: str | None = None
    message: str | None = None
    exit_code: Int32 | None = None


class WireState(Wire):
    """state and lastState of a container."""

    waiting: WireWaiting | None = None
    terminated: WireTerminated | None = None


class WireContainerStatus(Wire):
    """status.containerStatuses[]."""

    name: str | None = None
    ready: bool | None = None
    restart_count: Int32 | None = None
    image: str | None = None
    state: WireState | None = None
    last_state: WireState | None = None


Statuses = Annotated[msgspec.Raw, Holds(list[WireContainerStatus]), Minor()]


class WirePodStatus(Wire):
    """status of a pod."""

    phase: str | None = None
    conditions: Annotated[msgspec.Raw, Holds(list[WireCondition])] = ABSENT
    nominated_node_name: str | None = None
    start_time: MinorText = None
    container_statuses: Statuses = ABSENT
    init_container_statuses: Statuses = ABSENT
    resource_claim_statuses: list[WireClaimStatus] | None = None
    extended_resource_claim_status: WireExtendedClaim | None = None
    reason: MinorText = None
    message: MinorText = None


class WirePod(Wire):
    """v1 Pod."""

    metadata: WireMeta
    spec: WirePodSpec | None = None
    status: WirePodStatus | None = None


class WirePodTemplate(Wire):
    """spec.template of a workload."""

    metadata: WireTemplateMeta | None = None
    spec: WirePodSpec | None = None
