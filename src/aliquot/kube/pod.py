"""A pod, as far as placing it needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import EMPTY, Meta
from aliquot.kube.node import NO_RESOURCES, Resources
from aliquot.kube.pod_status import ContainerStatus
from aliquot.kube.references import Disk, Reference
from aliquot.kube.selectors import Affinity, TopologySpread
from aliquot.kube.taints import Toleration


@dataclass(frozen=True, slots=True)
class HostPort:
    """A port that a container takes on the node."""

    port: int
    protocol: str = "TCP"
    ip: str = "0.0.0.0"  # noqa: S104 - Kubernetes' own default: all addresses
    container_port: int = field(default=0, compare=False)
    """Which port of the container it is: decides nothing, names it in patches."""


@dataclass(frozen=True, slots=True)
class ContainerClaim:
    """resources.claims[]: the pod's claim, and optionally one request of it, that a container uses."""

    name: str
    request: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """An amount in a manifest that the API server wouldn't take, or that Kubernetes can't count."""

    field: str
    """In the container: `resources.limits.nvidia.com/gpu`."""
    message: str
    judged: str
    """As what it counts here."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container, an init container, or a sidecar (an init container with restartPolicy Always)."""

    name: str
    requests: Resources = field(default_factory=lambda: NO_RESOURCES)
    """Effective requests: where only a limit is given, the API server copies it."""
    limits: Resources = field(default_factory=lambda: NO_RESOURCES)
    ports: tuple[HostPort, ...] = ()
    claims: tuple[ContainerClaim, ...] = ()
    image: str = ""
    sidecar: bool = False
    references: tuple[Reference, ...] = ()
    """ConfigMaps and Secrets that its environment reads."""
    refused: tuple[Refused, ...] = ()
    """Amounts that no API server has let through; the others are right."""


@dataclass(frozen=True, slots=True)
class PodClaim:
    """spec.resourceClaims[]: a claim by name, or from a template."""

    name: str
    claim_name: str | None = None
    template_name: str | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume's name and the kind of its source (persistentVolumeClaim, configMap, csi, ...)."""

    name: str
    kind: str
    claim_name: str | None = None
    """For persistentVolumeClaim."""
    references: tuple[Reference, ...] = ()
    """For configMap, secret, projected: what it reads."""
    disk: Disk | None = None


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The PodScheduled condition: what the cluster's scheduler last said."""

    status: str
    reason: str = ""
    message: str = ""
    changed: str | None = None
    """lastTransitionTime: when the pod began to be in this status; a new message alone doesn't move it. Of a pod whose
    containers are all ready it isn't kept."""
    probed: str | None = None
    """lastProbeTime."""


@dataclass(frozen=True, slots=True)
class ExtendedResourceClaim:
    """status.extendedResourceClaimStatus: the claim that kube-scheduler made for extended resources."""

    claim_name: str
    mappings: tuple[tuple[str, str, str], ...] = ()
    """(container name, resource name, request name)."""


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod."""

    meta: Meta
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    """spec.nodeName: bound when not empty."""
    phase: str = "Pending"
    priority: int = 0
    priority_class: str = ""
    preemption_policy: str = "PreemptLowerPriority"
    scheduler_name: str = "default-scheduler"
    scheduling_gates: tuple[str, ...] = ()
    node_selector: Mapping[str, str] = field(default_factory=lambda: EMPTY)
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread: tuple[TopologySpread, ...] = ()
    overhead: Resources = field(default_factory=lambda: NO_RESOURCES)
    pod_requests: Resources | None = None
    """spec.resources.requests (pod-level resources), if given."""
    host_network: bool = False
    volumes: tuple[Volume, ...] = ()
    claims: tuple[PodClaim, ...] = ()
    claim_names: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """status.resourceClaimStatuses: pod claim name -> generated ResourceClaim name (None: none was needed)."""
    extended_claim: ExtendedResourceClaim | None = None
    nominated_node: str = ""
    scheduled: Scheduled | None = None
    started: str | None = None
    """status.startTime."""
    scheduling_group: str = ""
    needs_features: tuple[str, ...] = ()
    """Features that its node must declare (gate NodeDeclaredFeatures): `RestartAllContainersOnContainerExits` for a
    container restart rule with that action, `UserNamespacesHostNetworkSupport` for hostNetwork with hostUsers false."""
    service_account: str = "default"
    runtime_class: str = ""
    image_pull_secrets: tuple[str, ...] = ()
    group_workload: str = ""
    """spec.workloadRef.name (1.35): the Workload that holds `scheduling_group`."""
    conditions: tuple[Condition, ...] = ()
    """Those that a pod which runs well hasn't: status other than True, and DisruptionTarget. Without PodScheduled."""
    statuses: tuple[ContainerStatus, ...] = ()
    """Of all containers, if one of them waits, has ended, was started again or isn't ready; else none."""
    status_reason: str = ""
    """status.reason, as the kubelet or a controller gives it: `Evicted`, `UnexpectedAdmissionError`, `NodeLost`."""
    status_message: str = ""

    @property
    def name(self) -> str:
        """metadata.name."""
        return self.meta.name

    @property
    def namespace(self) -> str:
        """metadata.namespace."""
        return self.meta.namespace

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return self.meta.key

    @property
    def terminal(self) -> bool:
        """It has ended: it holds nothing."""
        return self.phase in ("Succeeded", "Failed")

    @property
    def terminating(self) -> bool:
        """It's being deleted, and still holds what it has."""
        return self.meta.deleted is not None
