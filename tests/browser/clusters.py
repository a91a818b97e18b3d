"""Small clusters for pages: counted devices, shared ones, names that would be more than text, and many nodes."""

from copy import deepcopy
from typing import Any, Final

Json = dict[str, Any]
BIDI: Final = "\u202e"
HOSTILE: Final = f"\"><script>window.broken = 1</script><b onmouseover='window.broken = 2'>{BIDI}{{{{ 7*7 }}}}\u0007"


def hostile() -> Json:
    """Every name is one that a browser would run, if it were markup."""
    cluster = deepcopy(COUNTED)
    node, pod = cluster["items"]
    node["metadata"] = {
        "name": HOSTILE,
        "labels": {"nvidia.com/gpu.product": HOSTILE, "topology.kubernetes.io/zone": HOSTILE},
    }
    node["spec"] = {"taints": [{"key": HOSTILE, "effect": "NoSchedule", "value": HOSTILE}]}
    pod["metadata"] |= {"name": HOSTILE, "namespace": HOSTILE}
    pod["spec"]["nodeSelector"] = {HOSTILE: HOSTILE}
    holder = deepcopy(pod)
    holder["metadata"]["name"] = HOSTILE + "2"
    holder["spec"]["nodeName"] = HOSTILE
    cluster["items"].append(holder)
    return cluster


def many(nodes: int) -> Json:
    """All their GPUs are held, two pods a node, but for those of the last one; the pod that waits asks for more."""
    cluster = deepcopy(COUNTED)
    node, pod = cluster["items"]
    pod["spec"]["containers"][0]["resources"]["requests"]["amd.com/gpu"] = "9"
    items = [pod]
    for number in range(nodes):
        one = deepcopy(node)
        one["metadata"]["name"] = f"node-{number}"
        items.append(one)
        for half in range(2 if number + 1 < nodes else 0):
            holder = deepcopy(pod)
            holder["metadata"]["name"] = f"holder-{number}-{half}"
            holder["spec"]["nodeName"] = f"node-{number}"
            holder["spec"]["containers"][0]["resources"]["requests"]["amd.com/gpu"] = "4"
            items.append(holder)
    return {**cluster, "items": items}


COUNTED: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "List",
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n"},
            "status": {
                "allocatable": {"amd.com/gpu": "8", "pods": "9", "cpu": "9", "memory": "9Gi"},
                "capacity": {"amd.com/gpu": "8", "pods": "9", "cpu": "9", "memory": "9Gi"},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "waits", "namespace": "ml"},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"amd.com/gpu": "1"}}}]},
            "status": {"phase": "Pending"},
        },
    ],
}

SHARED: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "List",
    "items": [
        COUNTED["items"][0] | {"status": {"allocatable": {"pods": "9"}, "conditions": []}},
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {
                "driver": "gpu.example.com",
                "nodeName": "n",
                "pool": {"name": "n", "generation": 1, "resourceSliceCount": 1},
                "devices": [
                    {"name": "gpu-0", "allowMultipleAllocations": True, "capacity": {"memory": {"value": "80Gi"}}}
                ],
            },
        },
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "f"},
            "spec": {
                "driver": "fabric.example.com",
                "allNodes": True,
                "pool": {"name": "fabric", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "port-0"}],
            },
        },
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceClaim",
            "metadata": {"name": "c", "namespace": "t"},
            "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
            "status": {
                "allocation": {
                    "devices": {
                        "results": [
                            {
                                "request": "r",
                                "driver": "gpu.example.com",
                                "pool": "n",
                                "device": "gpu-0",
                                "shareID": "8d8a4e2e-5b7f-4d0e-9b52-b8d3b8a8f9a1",
                                "consumedCapacity": {"memory": "20Gi"},
                            }
                        ]
                    }
                },
                "reservedFor": [{"resource": "pods", "name": "user", "uid": "u"}],
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "user", "namespace": "t", "uid": "u"},
            "spec": {
                "nodeName": "n",
                "containers": [{"name": "c"}],
                "resourceClaims": [{"name": "r", "resourceClaimName": "c"}],
            },
            "status": {"phase": "Running"},
        },
    ],
}
