"""Whole allocation scenarios, as our filter and the Go program read them.

A scenario: `{name, features, nodes, slices, classes, claims, allocatedDevices?, allocatedSharedDeviceIDs?,
allocatedCapacity?, allocatedClaims?, node, kubernetes?}`; objects are resource.k8s.io/v1 JSON without the API server's
defaults, `node` is the one to be asked about or `any`.
"""

from collections.abc import Sequence
from typing import Final

from scenarios.api.classes import CLASSES
from scenarios.drivers import GPU, Json

FEATURES: Final = {
    "adminAccess": True,
    "consumableCapacity": True,
    "deviceBindingAndStatus": True,
    "deviceTaints": True,
    "partitionableDevices": True,
    "prioritizedList": True,
}
"""What is on by default in Kubernetes 1.36, by which kube-scheduler takes its implementation `incubating`."""


def node(name: str = "n", **labels: str) -> Json:
    """A node with its customary label."""
    return {"metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}}


def scenario(name: str, slices: Sequence[Json], claims: Sequence[Json], **more: object) -> Json:
    """A scenario on the node n; `more`: other members, or other values of the usual ones."""
    return {
        "name": name,
        "features": FEATURES,
        "nodes": [node()],
        "node": "any",
        "slices": list(slices),
        "classes": list(CLASSES),
        "claims": list(claims),
        **more,
    }


def held(*names: str, pool: str = "n", driver: str = GPU) -> list[Json]:
    """Devices that are allocated already: a scenario's member `allocatedDevices`."""
    return [{"driver": driver, "pool": pool, "device": name} for name in names]


def places(slices: Sequence[Json]) -> list[Json]:
    """Every device of the slices by its three names."""
    return [
        each
        for one in slices
        for each in held(
            *(device["name"] for device in one["spec"].get("devices", ())),
            pool=one["spec"]["pool"]["name"],
            driver=one["spec"]["driver"],
        )
    ]
