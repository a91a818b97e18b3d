"""Anti-affinity of pods, one's own or another's: the pods at fault are named, once, with where they are."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
ZONE = "topology.kubernetes.io/zone"
NOBODY: Json = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": None}}


def away(app: str, key: str = "kubernetes.io/hostname") -> Json:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def replicas(*pods: Json, kind: str = "StatefulSet", name: str = "llm") -> list[Json]:
    """The pods of a workload, with it."""
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "w", "controller": True}
    for one in pods:
        one["metadata"]["ownerReferences"] = [owner]
    template = {"metadata": {"labels": {"app": "llm"}}, "spec": pods[0]["spec"]}
    workload = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "ml", "uid": "w"},
        "spec": {"replicas": len(pods), "selector": {"matchLabels": {"app": "llm"}}, "template": template},
    }
    return [*pods, workload]


def llm(name: str, on: str = "", key: str = "kubernetes.io/hostname") -> Json:
    return pod(name, on=on, gpu=1, labels={"app": "llm"}, affinity=away("llm", key))


def test_replicas_that_keep_apart(told: Told) -> None:
    found = told(node("a0", gpu=4), *replicas(llm("llm-0", "a0"), llm("llm-1")), pod_name="llm-1")
    assert found["sentence"] == (
        "There's room for 1 nvidia.com/gpu on a0, but its own anti-affinity keeps it away from ml/llm-0 on a0."
    )
    assert found["cause"]["kind"] == "anti-affinity"
    assert "do not" not in found["text"]
    bought, way = found["waysOut"]
    assert bought["kind"] == "add-node"
    assert (way["kind"], way["after"]["node"]) == ("change-request", "a0")
    assert way["risk"]["text"].startswith("ml/llm-0 stops, and statefulset/llm serves nothing until they are ready")
    commands = [change["command"] for change in way["changes"]]
    assert commands[0] == "kubectl scale statefulset llm -n ml --replicas=0"
    assert way["changes"][1]["patch"] == {"spec": {"template": {"spec": {"affinity": NOBODY}}}}
    assert commands[2] == "kubectl scale statefulset llm -n ml --replicas=2"


def test_another_pod_s_rule_by_zone(told: Told) -> None:
    lonely = pod("lonely", on="a0", affinity=away("p", ZONE))
    nodes = [node(name, gpu=4, labels={ZONE: "z1"}) for name in ("a0", "a1")]
    found = told(*nodes, lonely, pod("p", gpu=1))
    assert found["sentence"] == (
        "There's room for 1 nvidia.com/gpu on a0 and a1, but the anti-affinity of ml/lonely in"
        " topology.kubernetes.io/zone=z1 keeps it away."
    )


def test_its_own_rule_and_another_pod_s(told: Told) -> None:
    shy = pod("shy", on="a0", affinity=away("p"))
    found = told(node("a0", gpu=4), shy, pod("other", on="a0"), pod("p", gpu=1, affinity=away("other")))
    assert found["sentence"].endswith(
        "but its own anti-affinity keeps it away from ml/other on a0, and the anti-affinity of ml/shy on a0 keeps it"
        " away."
    )


@pytest.mark.parametrize("key", ["kubernetes.io/hostname", ZONE])
def test_affinity_that_nobody_meets_keeps_its_words(told: Told, key: str) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "x"}}, "topologyKey": key}
    beside = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    found = told(node("a0", gpu=4, labels={ZONE: "z1"}), pod("p", gpu=1, affinity=beside))
    assert "asked: beside pods with app=x; found: none in" in found["sentence"]
