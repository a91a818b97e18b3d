"""Volumes on a node's own disk, of which no node is in the input: their data is there and nowhere else."""

from collections.abc import Iterator

from aliquot.kube.matching import expression_text
from aliquot.kube.pod import Pod
from aliquot.kube.storage import PersistentVolume
from aliquot.scheduling.filters.pod_volumes import claim_uses, volume_of
from aliquot.scheduling.filters.volume_binding import reaches
from aliquot.snapshot.snapshot import Snapshot

HOSTNAME = "kubernetes.io/hostname"
ON_A_NODE = frozenset({"local", "hostPath"})


def lost_volumes(snapshot: Snapshot, pod: Pod) -> Iterator[tuple[PersistentVolume, str]]:
    """Each with where it is: a node's name, or the labels of its node."""
    for use in claim_uses(snapshot, pod):
        volume = volume_of(snapshot, use.claim) if use.claim is not None and use.claim.bound else None
        if volume is not None and is_lost(snapshot, volume):
            yield volume, _place(volume)


def is_lost(snapshot: Snapshot, volume: PersistentVolume) -> bool:
    """It's on a node's disk, and no node of the input is that one."""
    return (
        volume.source in ON_A_NODE
        and volume.node_affinity is not None
        and not any(reaches(volume, node) for node in snapshot.nodes.values())
    )


def _place(volume: PersistentVolume) -> str:
    asked = [one for term in volume.node_affinity.terms for one in term.expressions] if volume.node_affinity else []
    names = [value for one in asked if one.key == HOSTNAME and one.operator == "In" for value in one.values]
    return f"node {' or '.join(names)}" if names else f"a node with {' and '.join(map(expression_text, asked))}"
