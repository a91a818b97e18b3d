"""Volumes, claims on them, their classes and attachments from their JSON."""

from typing import Annotated

import msgspec

from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import cluster_meta, conditions, label_selector, meta, node_selector, resource_amount
from aliquot.kube.reading.shape import ABSENT, Amount, Int32, Minor
from aliquot.kube.reading.wire.parts import (
    Strings,
    Wire,
    WireCondition,
    WireLabelSelector,
    WireMeta,
    WireNodeSelector,
)
from aliquot.kube.selectors import Requirement
from aliquot.kube.storage import (
    BETA_CLASS,
    CsiNode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
    VolumeClaimRef,
)

DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


class WireStorageRequests(Wire):
    """resources of a claim."""

    requests: dict[str, Amount] | None = None


class WireVolumeClaimSpec(Wire):
    """spec of a claim."""

    access_modes: Strings | None = None
    resources: WireStorageRequests | None = None
    volume_name: str | None = None
    storage_class_name: str | None = None
    volume_mode: str | None = None
    selector: WireLabelSelector | None = None
    volume_attributes_class_name: str | None = None


class WireVolumeClaimStatus(Wire):
    """status of a claim."""

    phase: str | None = None
    conditions: Annotated[list[WireCondition] | None, Minor()] = None


class WirePersistentVolumeClaim(Wire):
    """v1 PersistentVolumeClaim."""

    metadata: WireMeta
    spec: WireVolumeClaimSpec | None = None
    status: WireVolumeClaimStatus | None = None


def claim(wire: WirePersistentVolumeClaim, memo: Memo) -> PersistentVolumeClaim:
    """A claim; the older annotation names the class before the field does."""
    made = meta(wire.metadata, memo)
    spec = wire.spec or WireVolumeClaimSpec()
    status = wire.status or WireVolumeClaimStatus()
    return PersistentVolumeClaim(
        meta=made,
        class_name=made.annotations.get(BETA_CLASS, spec.storage_class_name),
        volume_name=spec.volume_name or "",
        access_modes=tuple(spec.access_modes or ()),
        requested=_storage(spec.resources.requests if spec.resources else None),
        volume_mode=spec.volume_mode or "Filesystem",
        selector=label_selector(spec.selector),
        attributes_class=spec.volume_attributes_class_name or "",
        phase=status.phase or "Pending",
        conditions=conditions(status.conditions),
    )


def _storage(amounts: dict[str, msgspec.Raw] | None) -> int:
    raw = (amounts or {}).get("storage")
    return resource_amount("storage", raw) if raw is not None else 0


class WireVolumeClaimRef(Wire):
    """spec.claimRef of a volume."""

    namespace: str | None = None
    name: str | None = None
    uid: str | None = None


class WireCsiSource(Wire):
    """spec.csi of a volume."""

    driver: str | None = None
    volume_handle: str | None = None


class WireVolumeNodeAffinity(Wire):
    """spec.nodeAffinity of a volume."""

    required: WireNodeSelector | None = None


class WirePersistentVolumeSpec(Wire):
    """spec of a volume."""

    capacity: dict[str, Amount] | None = None
    access_modes: Strings | None = None
    storage_class_name: str | None = None
    volume_mode: str | None = None
    claim_ref: WireVolumeClaimRef | None = None
    node_affinity: WireVolumeNodeAffinity | None = None
    volume_attributes_class_name: str | None = None
    csi: WireCsiSource | None = None
    local: msgspec.Raw = ABSENT
    host_path: msgspec.Raw = ABSENT
    nfs: msgspec.Raw = ABSENT


class WirePersistentVolumeStatus(Wire):
    """status of a volume."""

    phase: str | None = None


class WirePersistentVolume(Wire):
    """v1 PersistentVolume."""

    metadata: WireMeta
    spec: WirePersistentVolumeSpec | None = None
    status: WirePersistentVolumeStatus | None = None


def volume(wire: WirePersistentVolume, memo: Memo) -> PersistentVolume:
    """A volume. Without a status nobody has looked at it yet: it's Pending."""
    made = cluster_meta(wire.metadata, memo)
    spec = wire.spec or WirePersistentVolumeSpec()
    ref = spec.claim_ref
    sources = {"csi": spec.csi is not None, "local": _given(spec.local), "hostPath": _given(spec.host_path),
               "nfs": _given(spec.nfs)}  # fmt: skip
    return PersistentVolume(
        meta=made,
        class_name=made.annotations.get(BETA_CLASS, spec.storage_class_name or ""),
        capacity=_storage(spec.capacity),
        access_modes=tuple(spec.access_modes or ()),
        volume_mode=spec.volume_mode or "Filesystem",
        claim=VolumeClaimRef(ref.namespace or "", ref.name or "", ref.uid or "") if ref else None,
        node_affinity=node_selector(spec.node_affinity.required if spec.node_affinity else None),
        driver=(spec.csi.driver if spec.csi else None) or "",
        handle=(spec.csi.volume_handle if spec.csi else None) or "",
        source=next((name for name, given in sources.items() if given), ""),
        attributes_class=spec.volume_attributes_class_name or "",
        phase=(wire.status.phase if wire.status else None) or "Pending",
    )


def _given(raw: msgspec.Raw) -> bool:
    return bytes(raw) not in {b"", b"null"}


class WireTopologyLabel(Wire):
    """matchLabelExpressions[] of allowedTopologies[]."""

    key: str
    values: Strings | None = None


class WireTopologyTerm(Wire):
    """allowedTopologies[] of a class."""

    match_label_expressions: list[WireTopologyLabel] | None = None


class WireStorageClass(Wire):
    """storage.k8s.io/v1 StorageClass."""

    metadata: WireMeta
    provisioner: str | None = None
    volume_binding_mode: str | None = None
    allowed_topologies: list[WireTopologyTerm] | None = None


def storage_class(wire: WireStorageClass, memo: Memo) -> StorageClass:
    """A class; without a mode volumes are bound at once."""
    made = cluster_meta(wire.metadata, memo)
    return StorageClass(
        meta=made,
        provisioner=wire.provisioner or "",
        binding_mode=wire.volume_binding_mode or "Immediate",
        topologies=tuple(
            tuple(Requirement(one.key, "In", tuple(one.values or ())) for one in term.match_label_expressions or ())
            for term in wire.allowed_topologies or ()
        ),
        default=any(made.annotations.get(key) == "true" for key in DEFAULT_CLASS),
    )


class WireDriverLimit(Wire):
    """allocatable of a driver."""

    count: Int32 | None = None


class WireCsiDriver(Wire):
    """spec.drivers[] of a CSINode."""

    name: str
    allocatable: WireDriverLimit | None = None


class WireCsiNodeSpec(Wire):
    """spec of a CSINode."""

    drivers: list[WireCsiDriver] | None = None


class WireCsiNode(Wire):
    """storage.k8s.io/v1 CSINode."""

    metadata: WireMeta
    spec: WireCsiNodeSpec | None = None


def csi_node(wire: WireCsiNode, memo: Memo) -> CsiNode:
    """The drivers of a node."""
    drivers = (wire.spec.drivers if wire.spec else None) or ()
    return CsiNode(
        cluster_meta(wire.metadata, memo),
        {driver.name: driver.allocatable.count if driver.allocatable else None for driver in drivers},
    )


class WireAttachmentSource(Wire):
    """spec.source of an attachment."""

    persistent_volume_name: str | None = None


class WireVolumeAttachmentSpec(Wire):
    """spec of an attachment."""

    attacher: str | None = None
    node_name: str | None = None
    source: WireAttachmentSource | None = None


class WireVolumeAttachment(Wire):
    """storage.k8s.io/v1 VolumeAttachment."""

    metadata: WireMeta
    spec: WireVolumeAttachmentSpec | None = None


def attachment(wire: WireVolumeAttachment, memo: Memo) -> VolumeAttachment:
    """Which volume is attached to which node."""
    spec = wire.spec or WireVolumeAttachmentSpec()
    source = spec.source.persistent_volume_name if spec.source else None
    return VolumeAttachment(cluster_meta(wire.metadata, memo), spec.attacher or "", spec.node_name or "", source)
