"""Small clusters in a few lines, read as a dump is, and their pending pod explained."""

import io
from typing import Any

import yaml

from aliquot.advisor.explain import Explanation, explain
from aliquot.advisor.wayout import WayOut
from aliquot.cluster.files import FileCluster
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot

A100 = "NVIDIA-A100-SXM4-40GB"
ROOM = {"cpu": "32", "memory": "256Gi", "pods": "110", "ephemeral-storage": "100Gi"}


def node(name: str, *, taints: Any = None, labels: dict[str, str] | None = None, **resources: Any) -> dict[str, Any]:
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


def pod(
    name: str, *, on: str = "", owner: str = "", requests: dict[str, Any] | None = None, gpu: int = 0, **spec: Any
) -> dict[str, Any]:
    """A pod; `owner="Deployment/llm"` gives it a ReplicaSet of that Deployment, `"Job/x"` that owner itself."""
    amounts = {key: str(value) for key, value in (requests or {}).items()}
    if gpu:
        amounts["nvidia.com/gpu"] = str(gpu)
    labels: dict[str, str] = spec.pop("labels", {"app": name})
    meta: dict[str, Any] = {"name": name, "namespace": "ml", "labels": dict(labels)}
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


def snapshot(*objects: dict[str, Any]) -> Snapshot:
    """Read as `aliquot explain -f -` reads it."""
    reading = FileCluster(["-"], io.BytesIO(yaml.safe_dump_all(objects).encode())).read()
    assert not reading.warnings
    return reading.snapshot


def story(*objects: dict[str, Any], minor: int = 36) -> Explanation:
    """The story of the only pod without a node."""
    world = snapshot(*objects)
    (found,) = explain(world, world.pending(), Scheduler.of(Kubernetes(minor)))
    return found


def ways(*objects: dict[str, Any]) -> dict[tuple[str, str], WayOut]:
    """(kind, target) -> the best such way out of the only pending pod."""
    found: dict[tuple[str, str], WayOut] = {}
    for way in story(*objects).ways_out:
        found.setdefault((way.kind, way.target), way)
    return found


def commands(way: WayOut) -> list[str]:
    """What a person would type."""
    return [change.command for change in way.changes]
