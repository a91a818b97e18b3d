"""A group that is as large as its autoscaler may make it: its maximum is raised with it."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

FULL = "pod didn't trigger scale-up: 1 max node group size reached"
ROOM = "pod didn't trigger scale-up: 1 Insufficient nvidia.com/gpu"


def event(message: str) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "ml"},
        "involvedObject": {"kind": "Pod", "name": "p", "namespace": "ml"},
        "reason": "NotTriggerScaleUp",
        "type": "Normal",
        "message": message,
        "source": {"component": "cluster-autoscaler"},
        "lastTimestamp": "2026-12-01T08:00:00Z",
    }


EKS = "eksctl scale nodegroup --cluster CLUSTER --name g --nodes 2"
REGIONAL = "  # per zone, if the cluster is regional"
AKS = "az aks nodepool update --cluster-name CLUSTER -g GROUP -n g --update-cluster-autoscaler"
GKE = "gcloud container node-pools update g --cluster CLUSTER --enable-autoscaling --max-nodes 2"


@pytest.mark.parametrize(
    ("label", "full", "room"),
    [
        ("eks.amazonaws.com/nodegroup", f"{EKS} --nodes-max 2", EKS),
        (
            "cloud.google.com/gke-nodepool",
            f"{GKE}{REGIONAL}",
            f"gcloud container clusters resize CLUSTER --node-pool g --num-nodes 2{REGIONAL}",
        ),
        (
            "kubernetes.azure.com/agentpool",
            f"{AKS} --min-count MIN --max-count 2",
            "az aks nodepool scale --cluster-name CLUSTER -g GROUP -n g -c 2",
        ),
    ],
)
def test_its_maximum_is_raised(told: Callable[..., Any], label: str, full: str, room: str) -> None:
    for message, command in ((FULL, full), (ROOM, room)):
        holder = pod("h", on="a", gpu=1)
        found = told(node("a", gpu=1, labels={label: "g"}), holder, pod("p", gpu=1), event(message))
        added = next(way for way in found["waysOut"] if way["kind"] == "add-node")
        assert added["changes"][0]["command"].splitlines()[-1] == command
