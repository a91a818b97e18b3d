"""Pods that another scheduler starts together: kube-scheduler, which would start them one by one, is no way out."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
OTHER = "scheduler-plugins-scheduler"


def gang(least: int) -> Json:
    meta = {"name": "pg", "namespace": "ml"}
    return {
        "apiVersion": "scheduling.x-k8s.io/v1alpha1",
        "kind": "PodGroup",
        "metadata": meta,
        "spec": {"minMember": least},
    }


def member(name: str) -> Json:
    return pod(name, gpu=1, schedulerName=OTHER, labels={"scheduling.x-k8s.io/pod-group": "pg"})


def test_a_gang_is_left_to_its_scheduler(told: Callable[..., Json]) -> None:
    found = told(node("n1", gpu=1), gang(2), member("p"), member("q"))
    assert found["sentence"].startswith(
        f"It's the scheduler {OTHER}'s to place, not kube-scheduler's, and PodGroup pg wants 2 pods to start together"
    )
    assert found["waysOut"] == []


def test_a_single_pod_can_change_its_scheduler(told: Callable[..., Json]) -> None:
    found = told(node("n1", gpu=1), gang(1), member("p"))
    assert "together" not in found["sentence"]
    assert [way["kind"] for way in found["waysOut"]] == ["fix-scheduler"]
