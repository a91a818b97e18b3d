"""Volumes and what provisions and attaches them, as far as placing pods needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.kube.conditions import Condition
from aliquot.kube.meta import Meta
from aliquot.kube.selectors import LabelSelector, NodeSelector, Requirement

BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
NO_PROVISIONER = "kubernetes.io/no-provisioner"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistentVolumeClaim:
    """v1 PersistentVolumeClaim."""

    meta: Meta
    class_name: str | None = None
    """spec.storageClassName, or the older annotation; None: not given (the API server fills in the default class)."""
    volume_name: str = ""
    """The PersistentVolume that it's bound to, or that it asks for by name."""
    access_modes: tuple[str, ...] = ()
    requested: int = 0
    """Bytes."""
    volume_mode: str = "Filesystem"
    selector: LabelSelector | None = None
    attributes_class: str = ""
    phase: str = "Pending"
    """Pending, Bound, Lost."""
    conditions: tuple[Condition, ...] = ()

    @property
    def bound(self) -> bool:
        """The volume controller has finished with it.

        The scheduler reads the annotation; the phase follows it, and stands where annotations were taken away.
        """
        return bool(self.volume_name) and (BIND_COMPLETED in self.meta.annotations or self.phase == "Bound")

    @property
    def selected_node(self) -> str | None:
        """The node for which the scheduler asked a volume to be made; None: it hasn't."""
        return self.meta.annotations.get(SELECTED_NODE)


@dataclass(frozen=True, slots=True)
class VolumeClaimRef:
    """spec.claimRef of a volume."""

    namespace: str
    name: str
    uid: str = ""

    def is_for(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the volume belongs to this claim (storage/volume IsVolumeBoundToClaim)."""
        same = (self.namespace, self.name) == (claim.meta.namespace, claim.meta.name)
        return same and self.uid in {"", claim.meta.uid}


@dataclass(frozen=True, slots=True, kw_only=True)
class PersistentVolume:
    """v1 PersistentVolume."""

    meta: Meta
    class_name: str = ""
    capacity: int = 0
    """Bytes."""
    access_modes: tuple[str, ...] = ()
    volume_mode: str = "Filesystem"
    claim: VolumeClaimRef | None = None
    node_affinity: NodeSelector | None = None
    driver: str = ""
    """Of a CSI volume."""
    handle: str = ""
    """Of a CSI volume."""
    source: str = ""
    """The field that says what it is: `csi`, `local`, `hostPath`, `nfs`, ..."""
    attributes_class: str = ""
    phase: str = "Available"
    """Available, Bound, Released, Failed, Pending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageClass:
    """storage.k8s.io/v1 StorageClass."""

    meta: Meta
    provisioner: str = ""
    binding_mode: str = "Immediate"
    """`Immediate` or `WaitForFirstConsumer`."""
    topologies: tuple[tuple[Requirement, ...], ...] = ()
    """allowedTopologies: any of these, each with all its expressions; none: everywhere."""
    default: bool = False

    @property
    def waits(self) -> bool:
        """Volumes are bound when the first pod is scheduled: a claim that is Pending before that is no fault."""
        return self.binding_mode == "WaitForFirstConsumer"


@dataclass(frozen=True, slots=True)
class CsiNode:
    """storage.k8s.io/v1 CSINode: the CSI drivers on a node of the same name."""

    meta: Meta
    limits: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])
    """Driver -> how many volumes it can attach; None: it doesn't say."""


@dataclass(frozen=True, slots=True)
class VolumeAttachment:
    """storage.k8s.io/v1 VolumeAttachment."""

    meta: Meta
    attacher: str
    node: str
    volume_name: str | None = None
    """The PersistentVolume; None: an inline volume."""
