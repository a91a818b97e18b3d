"""VolumeZone: the zone and region that a bound volume's labels name."""

from collections.abc import Iterable
from dataclasses import dataclass

from aliquot.kube.node import Node
from aliquot.kube.storage import PersistentVolume
from aliquot.scheduling.filters.reason import Reason

FILTER = "VolumeZone"
TEXT = "node(s) had no available volume zone"
_BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
_BETA_REGION = "failure-domain.beta.kubernetes.io/region"
_ZONE = "topology.kubernetes.io/zone"
_REGION = "topology.kubernetes.io/region"
_LABELS = (_BETA_ZONE, _BETA_REGION, _ZONE, _REGION)
_NEWER = {_BETA_ZONE: _ZONE, _BETA_REGION: _REGION}
_SEPARATOR = "__"


@dataclass(frozen=True, slots=True)
class VolumeTopology:
    """A label of a volume, and the values that it allows a node."""

    volume: str
    key: str
    values: frozenset[str]


def topologies_of(volumes: Iterable[PersistentVolume]) -> tuple[VolumeTopology, ...]:
    """The labels of volumes that bind them to zones and regions; `a__b` allows either, an empty part none at all."""
    found: list[VolumeTopology] = []
    for volume in volumes:
        for key in _LABELS:
            parts = [part.strip() for part in volume.meta.labels.get(key, "").split(_SEPARATOR)]
            if all(parts):
                found.append(VolumeTopology(volume.meta.name, key, frozenset(parts)))
    return tuple(found)


def elsewhere(topologies: Iterable[VolumeTopology], node: Node) -> tuple[Reason, ...]:
    """The first volume that isn't in the node's zone. A node without any such label is taken to be in all."""
    labels = node.meta.labels
    if not any(key in labels for key in _LABELS):
        return ()
    for topology in topologies:
        key = topology.key if topology.key in labels else _NEWER.get(topology.key, topology.key)
        value = labels.get(key)
        if value is None or value not in topology.values:
            return (
                Reason(
                    FILTER,
                    TEXT,
                    asked=f"{topology.key}={' or '.join(sorted(topology.values))} of volume {topology.volume}",
                    found=f"{key}={value}" if value is not None else f"no label {key}",
                    subject=topology.volume,
                ),
            )
    return ()
