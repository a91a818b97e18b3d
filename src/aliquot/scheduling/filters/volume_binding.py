"""VolumeBinding: bound volumes that a node reaches, and volumes that can be bound or made for it.

Storage capacity (CSIStorageCapacity) isn't read: volumes that a driver makes are taken to have room. Volumes of the
in-tree kinds aren't translated to their CSI drivers.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from aliquot.kube.matching import expression_text, holds, node_selected, selects
from aliquot.kube.node import Node
from aliquot.kube.release import Kubernetes
from aliquot.kube.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from aliquot.scheduling.filters.pod_volumes import makes_volumes
from aliquot.scheduling.filters.reason import Reason
from aliquot.scheduling.versions import volume_conflict

FILTER = "VolumeBinding"
NO_MATCH = "node(s) didn't find available persistent volumes to bind"
GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


@dataclass(frozen=True, slots=True)
class Delayed:
    """A claim that is bound when its pod is scheduled."""

    claim: PersistentVolumeClaim
    volumes: tuple[PersistentVolume, ...]
    """Of its class; those it can't have are among them."""
    storage_class: StorageClass | None
    """None: it isn't in the input, and what it would make is taken to suit every node."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What a pod's claims ask of a node."""

    bound: tuple[tuple[PersistentVolumeClaim, PersistentVolume | None], ...]
    """Claims with their volumes; None: the volume doesn't exist. Volumes of which nothing is known aren't here."""
    delayed: tuple[Delayed, ...]


def unbindable(binding: Binding, node: Node, kubernetes: Kubernetes) -> tuple[Reason, ...]:
    """Why the node doesn't suit, in the scheduler's order."""
    found: list[Reason] = []
    gone: list[Reason] = []
    for claim, volume in binding.bound:
        if volume is None:
            gone.append(_reason(GONE, claim, "a volume that exists", f"no volume {claim.volume_name}"))
            break
        if not reaches(volume, node):
            asked, there = _place(volume, node)
            found.append(_reason(volume_conflict(kubernetes), claim, asked, there))
            break
    return (*found, *_unmatched(binding.delayed, node), *gone)


def reaches(volume: PersistentVolume, node: Node) -> bool:
    """Whether a volume's node affinity selects the node; by labels alone, as the scheduler asks."""
    if volume.node_affinity is None:
        return True
    return node_selected(volume.node_affinity, replace(node, meta=replace(node.meta, name="")))


def _place(volume: PersistentVolume, node: Node) -> tuple[str, str]:
    """Where a volume can be used, and what of that the node has instead."""
    terms = volume.node_affinity.terms if volume.node_affinity is not None else ()
    wanted = " or ".join(" and ".join(map(expression_text, term.expressions)) for term in terms if term.expressions)
    lacking = [one for term in terms for one in term.expressions if not holds(one, node.meta.labels)]
    labels = node.meta.labels
    have = [
        f"{key}={labels[key]}" if key in labels else f"no label {key}" for key in dict.fromkeys(o.key for o in lacking)
    ]
    return f"{wanted or 'a node of its own'} of volume {volume.meta.name}", ", ".join(have)


def _reason(text: str, claim: PersistentVolumeClaim, asked: str, there: str) -> Reason:
    return Reason(FILTER, text, asked=asked, found=there, subject=claim.meta.name)


def _unmatched(delayed: Iterable[Delayed], node: Node) -> tuple[Reason, ...]:
    to_make: list[Delayed] = []
    to_match: list[Delayed] = []
    for one in delayed:
        chosen = one.claim.selected_node
        if chosen is None:
            to_match.append(one)
        elif chosen != node.name:
            return (_reason(NO_MATCH, one.claim, f"node {chosen}, which was chosen for the volume", node.name),)
        else:
            to_make.append(one)
    taken: set[str] = set()
    for one in sorted(to_match, key=lambda each: each.claim.requested):
        volume = matching(one.claim, one.volumes, node, taken)
        if volume is None:
            to_make.append(one)
        else:
            taken.add(volume.meta.name)
    for one in to_make:
        why = _unmakeable(one.storage_class, node)
        if why:
            return (_reason(NO_MATCH, one.claim, f"a volume of class {one.claim.class_name}", why),)
    return ()


def _unmakeable(storage_class: StorageClass | None, node: Node) -> str:
    """Why no volume can be made for a node; empty: one can."""
    if storage_class is None:
        return ""
    if not makes_volumes(storage_class):
        return "none is free, and the class makes none"
    labels = node.meta.labels
    allowed = storage_class.topologies
    if allowed and not any(term and all(holds(one, labels) for one in term) for term in allowed):
        return "none is free, and the class makes none there"
    return ""


def matching(
    claim: PersistentVolumeClaim, volumes: Iterable[PersistentVolume], node: Node, taken: Iterable[str] = ()
) -> PersistentVolume | None:
    """The volume that the claim would get on a node: one kept for it, or the smallest that does.

    The rules are those of component-helpers, storage/volume FindMatchingVolume.
    """
    best: PersistentVolume | None = None
    for volume in volumes:
        if volume.meta.name in taken or (volume.claim is not None and not volume.claim.is_for(claim)):
            continue
        if volume.capacity < claim.requested or volume.volume_mode != claim.volume_mode:
            continue
        if volume.attributes_class != claim.attributes_class or volume.meta.deleted is not None:
            continue
        if volume.claim is not None:
            return volume if reaches(volume, node) else None
        free = volume.phase == "Available" and volume.class_name == (claim.class_name or "")
        if not free or (claim.selector is not None and not selects(claim.selector, volume.meta.labels)):
            continue
        if not set(claim.access_modes) <= set(volume.access_modes) or not reaches(volume, node):
            continue
        if best is None or volume.capacity < best.capacity:
            best = volume
    return best
