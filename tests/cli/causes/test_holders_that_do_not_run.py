"""A pod that is bound holds what it asked for, also where it doesn't run: that is told, and it is freed first."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]


def waits(name: str, reason: str, restarts: int = 0, phase: str = "Pending", **more: Any) -> Json:
    """A bound pod whose container waits."""
    made = pod(name, on="a0", gpu=1, **more)
    container = {"name": "main", "ready": False, "restartCount": restarts, "state": {"waiting": {"reason": reason}}}
    made["status"] = {"phase": phase, "containerStatuses": [container]}
    return made


@pytest.mark.parametrize(
    ("holder", "why"),
    [
        (waits("y", "ImagePullBackOff"), "ImagePullBackOff"),
        (waits("y", "CreateContainerConfigError"), "CreateContainerConfigError"),
        (waits("y", "CrashLoopBackOff", 50, "Running"), "CrashLoopBackOff, 50 restarts"),
        (waits("y", "CrashLoopBackOff", 1, "Running"), "CrashLoopBackOff, 1 restart"),
    ],
)
def test_it_is_told_and_freed_first(told: Told, holder: Json, why: str) -> None:
    found = told(node("a0", gpu=2), holder, pod("runs", on="a0", gpu=1), pod("p", gpu=1))
    assert f"ml/y (doesn't run: {why})" in found["sentence"]
    assert "ml/runs (" not in found["sentence"]
    ways = [(way["kind"], way["object"], way["risk"]["level"]) for way in found["waysOut"]]
    assert ways[0] == ("free-device", "pod/y", "low")
    assert ways.index(("free-device", "pod/runs", "high")) > [kind for kind, _, _ in ways].index("add-node")
    first = found["waysOut"][0]
    assert first["risk"]["text"] == f"y doesn't run: {why}"
    assert (first["after"]["node"], first["after"]["stopped"]) == ("a0", [])
    assert "ml/y no longer runs" not in found["text"]
    assert "ml/runs no longer runs" in found["text"]


def test_of_a_workload_the_pods_that_do_not_run_go_first(told: Told) -> None:
    """They are the older ones here: of pods that all run, the youngest would go."""
    several = [
        waits("llm-a", "ImagePullBackOff", owner="Deployment/llm"),
        pod("llm-b", on="a0", gpu=1, owner="Deployment/llm"),
        pod("llm-c", on="a0", gpu=1, owner="Deployment/llm"),
    ]
    found = told(node("a0", gpu=3), *several, pod("p", gpu=1))
    assert "deployment/llm in ml (3 pods, 1 of them doesn't run)" in found["sentence"]
    first = found["waysOut"][0]
    assert (first["kind"], first["risk"]["level"]) == ("free-device", "low")
    assert first["changes"][0]["command"].startswith("kubectl annotate pod llm-a -n ml")
    assert first["changes"][1]["command"] == "kubectl scale deployment llm -n ml --replicas=2"


@pytest.mark.parametrize("reason", ["ContainerCreating", "PodInitializing"])
def test_one_that_is_about_to_start_is_no_such_holder(told: Told, reason: str) -> None:
    found = told(node("a0", gpu=1), waits("y", reason), pod("p", gpu=1))
    assert found["sentence"] == "The only nvidia.com/gpu (a0) is taken: held by ml/y."
    assert found["waysOut"][-1]["risk"]["level"] == "high"


def test_one_of_whose_containers_another_runs_does_run(told: Told) -> None:
    holder = waits("y", "CrashLoopBackOff", 7, "Running")
    holder["status"]["containerStatuses"].append({"name": "log", "ready": True, "state": {"running": {}}})
    found = told(node("a0", gpu=1), holder, pod("p", gpu=1))
    assert "doesn't run" not in found["sentence"]
