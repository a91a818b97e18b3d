"""Objects as manifests write them: a node with GPUs, pods that want one, workloads that make such pods."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Ask = Callable[..., tuple[int, Json, str]]
"""A cluster and a manifest in; the exit status, the JSON document and stderr out."""
GPU = "nvidia.com/gpu"
ASKS: Json = {"containers": [{"name": "main", "image": "x", "resources": {"limits": {GPU: 1}}}]}


def node(name: str = "g1", gpus: int = 2, **labels: str) -> Json:
    there = {"cpu": "8", "memory": "32Gi", "pods": "110", GPU: str(gpus)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {
            "allocatable": there,
            "capacity": there,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.36.1"},
        },
    }


def pod(name: str, spec: Json | None = None, owner: Json | None = None, **status: Any) -> Json:
    meta: Json = {"name": name, "namespace": "ml", "uid": f"uid-{name}"}
    if owner is not None:
        meta["ownerReferences"] = [owner]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec or ASKS, "status": status}


def running(name: str, owner: Json | None = None) -> Json:
    return pod(name, {**ASKS, "nodeName": "g1"}, owner, phase="Running")


def workload(kind: str, name: str = "llm", group: str = "apps", **spec: Any) -> Json:
    inside: Json = {
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": ASKS},
        **spec,
    }
    return {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}, "spec": inside}


ONE_FREE = [node(), running("holder")]


def verdicts(answer: Json) -> dict[str, str]:
    return {one["pod"]: one["verdict"] for one in answer["pods"]}


CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu"},
    "spec": {"selectors": [{"cel": {"expression": 'device.driver == "gpu.nvidia.com"'}}]},
}


SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "g1"},
    "spec": {
        "driver": "gpu.nvidia.com",
        "nodeName": "g1",
        "pool": {"name": "g1", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": "gpu-0"}],
    },
}
