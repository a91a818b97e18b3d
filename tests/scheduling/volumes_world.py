"""Claims, volumes and classes for tests, said briefly."""

from collections.abc import Mapping
from dataclasses import replace

from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod, Scheduled, Volume
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.storage import PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeClaimRef
from scenarios.nouns.clusters import pod

SAYS = "0/1 nodes are available: "


def claim(
    name: str,
    *,
    volume: str = "",
    class_name: str | None = "fast",
    modes: tuple[str, ...] = ("ReadWriteOnce",),
    size: int = 1,
    phase: str = "",
    annotations: Mapping[str, str] | None = None,
    deleted: str | None = None,
) -> PersistentVolumeClaim:
    """Bound if a volume is given."""
    return PersistentVolumeClaim(
        meta=Meta(name, "default", annotations=dict(annotations or {}), deleted=deleted),
        class_name=class_name,
        volume_name=volume,
        access_modes=modes,
        requested=size,
        phase=phase or ("Bound" if volume else "Pending"),
    )


def volume(
    name: str,
    *,
    zone: str = "",
    labels: Mapping[str, str] | None = None,
    class_name: str = "fast",
    size: int = 1,
    claimed_by: str = "",
    driver: str = "",
    phase: str = "Available",
) -> PersistentVolume:
    """Reached from the nodes of a zone, or from all."""
    term = NodeSelectorTerm((Requirement("zone", "In", (zone,)),))
    return PersistentVolume(
        meta=Meta(name, labels=dict(labels or {})),
        class_name=class_name,
        capacity=size,
        access_modes=("ReadWriteOnce",),
        claim=VolumeClaimRef("default", claimed_by) if claimed_by else None,
        node_affinity=NodeSelector((term,)) if zone else None,
        driver=driver,
        handle=f"{name}-handle" if driver else "",
        phase=phase,
    )


def storage_class(
    name: str = "fast", *, waits: bool = True, makes: bool = True, zones: tuple[str, ...] = ()
) -> StorageClass:
    return StorageClass(
        meta=Meta(name),
        provisioner="csi.example.com" if makes else "kubernetes.io/no-provisioner",
        binding_mode="WaitForFirstConsumer" if waits else "Immediate",
        topologies=((Requirement("zone", "In", zones),),) if zones else (),
    )


def using(*claims: str, on: str = "", name: str = "p", said: str = "", priority: int = 0) -> Pod:
    """A pod with these claims; `said`: what the scheduler told it."""
    made = pod(name, on, gpu=0, priority=priority)
    volumes = tuple(Volume(f"v-{one}", "persistentVolumeClaim", one) for one in claims)
    return replace(made, volumes=volumes, scheduled=Scheduled("False", "Unschedulable", said) if said else None)
