"""What a way out risks is told where it's taken, and the way that risks least comes first."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
SHARED = "nvidia.com/gpu.shared"
REPLICAS = {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.sharing-strategy": "time-slicing"}


def apart(name: str, *, on: str = "", owner: str = "StatefulSet/rep") -> Json:
    """A pod that wants no other one of its kind on its node."""
    term = {"labelSelector": {"matchLabels": {"app": "rep"}}, "topologyKey": "kubernetes.io/hostname"}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return pod(name, on=on, gpu=1, owner=owner, labels={"app": "rep"}, affinity=affinity)


def test_more_shares_of_one_gpu_are_no_more_than_one(told: Told) -> None:
    single = node("n1", gpu=4, labels={**REPLICAS, "nvidia.com/gpu.count": "1"})
    found = told(single, pod("a", on="n1", gpu=2), pod("p", gpu=3))
    first = found["waysOut"][0]
    assert first["title"].startswith(
        "Ask for 1 nvidia.com/gpu instead of 3: on n1 all are shares of one GPU by time-sl"
    )
    assert first["risk"]["level"] == "low"
    assert "tensor parallelism" not in found["text"]


def test_shares_of_two_gpus_may_be_two(told: Told) -> None:
    two = node("n1", gpu=8, labels={**REPLICAS, "nvidia.com/gpu.count": "2"})
    found = told(two, pod("a", on="n1", gpu=6), pod("p", gpu=3))
    (fewer,) = [way for way in found["waysOut"] if way["kind"] == "fewer-devices"]
    assert fewer["title"].startswith("Ask for 2 nvidia.com/gpu instead of 3")
    assert fewer["risk"]["level"] == "high"


def test_several_gpus_are_meant_where_other_nodes_have_them(told: Told) -> None:
    single = node("n1", gpu=4, labels={**REPLICAS, "nvidia.com/gpu.count": "1"})
    found = told(single, node("n2", gpu=8), pod("a", on="n1", gpu=2), pod("b", on="n2", gpu=8), pod("p", gpu=3))
    (fewer,) = [way for way in found["waysOut"] if way["kind"] == "fewer-devices"]
    assert (fewer["title"], fewer["risk"]["level"]) == ("Ask for 2 nvidia.com/gpu instead of 3 (2 free on n1)", "high")


def test_a_bought_node_may_rename_its_gpus_too(told: Told) -> None:
    renamed = node("n1", more={SHARED: 4})
    renamed["spec"]["providerID"] = "aws:///us-east-1a/i-1"
    found = told(renamed, pod("p", gpu=1))
    assert [way["kind"] for way in found["waysOut"]] == ["change-request", "add-node"]
    assert found["waysOut"][1]["risk"]["text"].startswith(f"the device plugins that are there offer {SHARED} instead")


@pytest.mark.parametrize(
    ("key", "value"), [("kubernetes.azure.com/scalesetpriority", "spot"), ("cloud.google.com/gke-spot", "true")]
)
def test_a_spot_node_may_be_taken_back(told: Told, key: str, value: str) -> None:
    spot = node("n1", gpu=1, taints=[{"key": key, "value": value, "effect": "NoSchedule"}])
    (tolerate,) = [way for way in told(spot, pod("p", gpu=1))["waysOut"] if way["kind"] == "add-toleration"]
    assert tolerate["risk"]["level"] == "medium"
    assert tolerate["risk"]["text"].startswith("n1 is a spot node: its cloud may take it back at any time")


def test_stopping_all_pods_of_a_workload_is_an_outage_and_its_replicas_arent_guessed(told: Told) -> None:
    found = told(node("n1", gpu=2), apart("rep-0", on="n1"), apart("p"))
    assert [way["kind"] for way in found["waysOut"]] == ["add-node", "change-request"]
    way = found["waysOut"][1]
    assert way["risk"]["level"] == "high"
    assert "statefulset/rep serves nothing until they are ready again" in way["risk"]["text"]
    stopped, _, started = way["changes"]
    assert stopped["command"].startswith(
        "kubectl get statefulset rep -n ml -o jsonpath='{.spec.replicas}'  # REPLICAS\n"
    )
    assert started["command"].endswith("--replicas=REPLICAS")
    assert stopped["undo"].endswith("--replicas=REPLICAS")


def test_a_rollout_whose_deployment_isnt_there(told: Told) -> None:
    old = pod("old", on="n1", gpu=1, owner="Deployment/api", labels={"app": "api"})
    new = pod("p", gpu=1, owner="Deployment/api", labels={"app": "api"})
    old["metadata"]["labels"]["pod-template-hash"] = "4c"
    found = told(node("n1", gpu=1), old, new)
    assert "probably waits for itself" in found["sentence"]
    assert "(its strategy isn't known: the Deployment isn't in the input)" in found["sentence"]
    (change,) = next(way for way in found["waysOut"] if way["kind"] == "fix-rollout")["changes"]
    assert change["command"].startswith("kubectl get deployment api -n ml -o yaml ")
    assert change["undo"] == "kubectl replace -f deployment-ml-api.before.yaml"


def test_an_image_for_another_kind_of_processor_may_not_exist(told: Told) -> None:
    arm = node("n1", gpu=1, labels={"kubernetes.io/arch": "arm64"})
    found = told(arm, pod("p", gpu=1, nodeSelector={"kubernetes.io/arch": "amd64"}))
    assert found["waysOut"]
    for way in found["waysOut"]:
        assert way["risk"]["level"] == "high"
        assert way["risk"]["text"].startswith("its images must exist for arm64, which nothing in the input says")


def test_a_little_less_than_the_whole_machine_is_asked_for_first(told: Told) -> None:
    whole = node("n1", gpu=1, cpu="15890m", memory="60Gi")
    whole["status"]["capacity"] = {**whole["status"]["allocatable"], "cpu": "16", "memory": "64Gi"}
    daemon = pod("d", on="n1", requests={"cpu": "500m", "memory": "1Gi"}, owner="DaemonSet/d")
    found = told(whole, daemon, pod("p", gpu=1, requests={"cpu": "16", "memory": "64Gi"}))
    assert "daemonset/d" not in found["sentence"]
    first = found["waysOut"][0]
    assert first["title"].startswith("Ask for 15390m of cpu instead of 16, 59Gi of memory instead of 64Gi")
    assert first["risk"]["level"] == "low"


def test_a_volume_claims_name_is_corrected_before_an_empty_one_is_made(told: Told) -> None:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "model-cache", "namespace": "ml"},
        "spec": {"volumeName": "pv"},
        "status": {"phase": "Bound"},
    }
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "pv"},
        "spec": {"csi": {"driver": "x"}, "claimRef": {"namespace": "ml", "name": "model-cache"}},
        "status": {"phase": "Bound"},
    }
    using = pod("p", gpu=1, volumes=[{"name": "w", "persistentVolumeClaim": {"claimName": "model-cahce"}}])
    named, created = told(node("n1", gpu=1), claim, volume, using)["waysOut"]
    assert named["title"] == "Name PersistentVolumeClaim model-cache (not model-cahce)"
    assert "a new one is empty" in created["title"]
