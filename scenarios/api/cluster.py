"""Nodes that offer GPUs by count, and pods, as `kubectl get -o json` prints them."""

from typing import Any, Final

from scenarios.drivers import Json

A100: Final = "NVIDIA-A100-SXM4-40GB"
ROOM: Final = {"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "100Gi"}


def node(name: str, *, taints: Any = None, labels: dict[str, str] | None = None, **resources: Any) -> Json:
    """A node; resources by short names: `gpu=2`, `cpu="4"`, or `more={"vendor.com/x": 1}`."""
    more = resources.pop("more", {})
    gpu = {"nvidia.com/gpu": str(resources.pop("gpu"))} if "gpu" in resources else {}
    amounts = {**ROOM, **{key: str(value) for key, value in resources.items()}, **gpu}
    amounts |= {key: str(value) for key, value in more.items()}
    found = {"kubernetes.io/hostname": name, **({"nvidia.com/gpu.product": A100} if gpu else {}), **(labels or {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": found},
        "spec": {"taints": taints or []},
        "status": {"allocatable": amounts, "nodeInfo": {"kubeletVersion": "v1.36.2"}},
    }


def pod(name: str, *, on: str = "", owner: str = "", requests: Json | None = None, gpu: int = 0, **spec: Any) -> Json:
    """A pod; `owner="Deployment/llm"` gives it a ReplicaSet of that Deployment, `"Job/x"` that owner itself."""
    amounts = {key: str(value) for key, value in (requests or {}).items()}
    if gpu:
        amounts["nvidia.com/gpu"] = str(gpu)
    labels: dict[str, str] = spec.pop("labels", {"app": name})
    meta: Json = {"name": name, "namespace": "ml", "labels": dict(labels)}
    if owner:
        kind, _, owner_name = owner.partition("/")
        if kind == "Deployment":
            kind, owner_name = "ReplicaSet", f"{owner_name}-5d"
            meta["labels"]["pod-template-hash"] = "5d"
        meta["ownerReferences"] = [
            {"apiVersion": "v1", "kind": kind, "name": owner_name, "uid": owner_name, "controller": True}
        ]
    limits = {key: value for key, value in amounts.items() if "/" in key}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": {
            "containers": [{"name": "main", "resources": {"requests": amounts, "limits": limits}}],
            **({"nodeName": on} if on else {}),
            **spec,
        },
        "status": {"phase": "Running" if on else "Pending"},
    }
