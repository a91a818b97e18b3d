"""Which lists are told apart by keys: `listType` and `mapType` of the API's types (Kubernetes 1.37).

Whatever isn't here is what it is by default: a map by its keys, a list as a whole. So are Node.spec.taints, a pod's
tolerations and a ResourceSlice's devices, by their types: who changes one taint writes them all.
"""

from collections.abc import Mapping
from typing import Final

from aliquot.cluster.memory.field_paths import ATOMIC, SET, Keyed, Shape, Shapes

_META: Mapping[str, Shape] = {"metadata.ownerReferences": Keyed(("uid",)), "metadata.finalizers": SET}
_TYPE, _NAME = Keyed(("type",)), Keyed(("name",))
_CONTAINER: Mapping[str, Shape] = {
    "": _NAME,
    ".ports": Keyed(("containerPort", "protocol"), {"protocol": "TCP"}),
    ".env": _NAME,
    ".volumeMounts": Keyed(("mountPath",)),
    ".volumeDevices": Keyed(("devicePath",)),
    ".resources.claims": _NAME,
}
_CONTAINERS = {
    f"spec.{kind}{where}": shape
    for kind in ("containers", "initContainers", "ephemeralContainers")
    for where, shape in _CONTAINER.items()
}
_POD: Mapping[str, Shape] = {
    **_CONTAINERS,
    "spec.volumes": _NAME,
    "spec.nodeSelector": ATOMIC,
    "spec.imagePullSecrets": _NAME,
    "spec.hostAliases": Keyed(("ip",)),
    "spec.topologySpreadConstraints": Keyed(("topologyKey", "whenUnsatisfiable")),
    "spec.schedulingGates": _NAME,
    "spec.resourceClaims": _NAME,
    "status.conditions": _TYPE,
    "status.podIPs": Keyed(("ip",)),
    "status.resourceClaimStatuses": _NAME,
}
_CLAIM: Mapping[str, Shape] = {
    "status.reservedFor": Keyed(("uid",)),
    "status.devices": Keyed(("driver", "pool", "device", "shareID")),
    "status.devices.conditions": _TYPE,
    "status.devices.data": ATOMIC,
    "status.allocation.nodeSelector": ATOMIC,
}
_BY_KIND: Final[Mapping[str, Mapping[str, Shape]]] = {
    "Node": {"spec.podCIDRs": SET, "status.conditions": _TYPE, "status.addresses": _TYPE},
    "Pod": _POD,
    "ResourceClaim": _CLAIM,
    "ResourceSlice": {"spec.nodeSelector": ATOMIC},
    "DeviceTaintRule": {"status.conditions": _TYPE},
    "Event": {"involvedObject": ATOMIC, "related": ATOMIC},
}
_SHAPES: Final[Mapping[str, Shapes]] = {kind: {**_META, **shapes} for kind, shapes in _BY_KIND.items()}


def shapes_of(kind: str) -> Shapes:
    """Of a kind's objects."""
    return _SHAPES.get(kind, _META)
