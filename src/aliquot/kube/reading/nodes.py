"""Nodes from their JSON."""

import msgspec

from aliquot.kube.node import NO_RESOURCES, Node
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import amounts, cluster_meta
from aliquot.kube.reading.wire.parts import WireImage, WireNode, WireNodeSpec, WireNodeStatus
from aliquot.kube.taints import Taint

_images = msgspec.json.Decoder(list[WireImage])
_READY = {"True": True, "False": False}


def node(wire: WireNode, memo: Memo) -> Node:
    """A node. Where status.allocatable is absent the API server copies status.capacity."""
    spec = wire.spec or WireNodeSpec()
    status = wire.status or WireNodeStatus()
    capacity = memo.of(amounts, status.capacity, NO_RESOURCES)
    ready = next((condition for condition in status.conditions or () if condition.type == "Ready"), None)
    return Node(
        cluster_meta(wire.metadata, memo),
        memo.of(amounts, status.allocatable, capacity),
        capacity,
        tuple(Taint(taint.key, taint.effect, taint.value or "") for taint in spec.taints or ()),
        bool(spec.unschedulable),
        _READY.get((ready.status if ready is not None else None) or ""),
        (status.node_info.kubelet_version if status.node_info else None) or "",
        tuple(status.declared_features or ()),
        memo.of(images, status.images, ()),
        (spec.provider_id or "").partition("://")[0],
        (ready.message or "") if ready is not None and ready.status == "Unknown" else None,
    )


def images(raw: bytes) -> tuple[str, ...]:
    """All names of all images on the node."""
    return tuple(name for image in _images.decode(raw) for name in image.names or ())
