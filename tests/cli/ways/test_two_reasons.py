"""Two reasons at once are both told, with one way out for both; and workloads that are held, or ask twice."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod
from scenarios.drivers import Json

TEAM = [{"key": "team", "value": "x", "effect": "NoSchedule"}]
TYPO = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40BG"}


@pytest.fixture
def explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*objects: Json, args: tuple[str, ...] = ("-A",)) -> Any:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        run(["explain", *args, "-f", str(dump), "-o", "json"])
        return json.loads(capsys.readouterr().out)["pods"][0]

    return ask


def volume_claim(name: str, class_name: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"storageClassName": class_name, "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Pending"},
    }


def storage_class(name: str) -> Json:
    meta = {"name": name}
    return {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": meta, "provisioner": "x.csi"}


def using(*claims: str, **more: Any) -> Json:
    volumes = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claims]
    return pod("p", owner="Deployment/p", volumes=volumes, **more)


def test_an_unbound_volume_and_a_held_gpu(explained: Any) -> None:
    held = [node("a0", gpu=1), pod("old", on="a0", gpu=1, owner="Deployment/old")]
    found = explained(*held, volume_claim("data", "fsat"), storage_class("fast"), using("data", gpu=1))
    assert "PersistentVolumeClaim data is pending, unbound: its StorageClass fsat doesn't exist" in found["sentence"]
    assert "With that mended it would still wait. The only nvidia.com/gpu (a0) is taken" in found["sentence"]
    assert {"data", "a0"} <= set(found["cause"]["objects"])
    assert [one["pod"] for one in found["holders"]] == ["ml/old"]
    assert found["waysOut"]
    for way in found["waysOut"]:
        assert way["kind"] == "combined"
        assert way["title"].startswith("Give PersistentVolumeClaim data a StorageClass that exists")
    assert any("; then: add a node like a0" in way["title"] for way in found["waysOut"])
    objects = (*held, volume_claim("data", "fsat"), storage_class("fast"), using("data", gpu=1))
    assert explained(*objects, args=("-A", "--avoid", "fix-volume"))["waysOut"] == []


def test_two_unbound_volumes_are_one_way_out(explained: Any) -> None:
    claims = [volume_claim("data", "fsat"), volume_claim("logs", "fsat"), storage_class("fast")]
    (way,) = explained(node("a0", gpu=1), *claims, using("data", "logs", gpu=1))["waysOut"]
    assert (way["kind"], way["after"]["node"]) == ("combined", "a0")
    assert "PersistentVolumeClaim data" in way["title"]
    assert "PersistentVolumeClaim logs" in way["title"]


def test_a_selector_that_is_mistyped_and_a_taint(explained: Any) -> None:
    found = explained(node("a0", gpu=1, taints=TEAM), pod("q", gpu=1, owner="Deployment/q", nodeSelector=TYPO))
    assert "NVIDIA-A100-SXM4-40BG (no node has that value; there is NVIDIA-A100-SXM4-40GB)" in found["sentence"]
    assert "taint team=x:NoSchedule" in found["sentence"]
    first = found["waysOut"][0]
    assert first["title"].startswith("Tolerate team=x:NoSchedule (a0); then: correct the selector for a0")
    assert len(first["changes"]) == 1


def job(**meta: Any) -> Json:
    spec = {**pod("x", gpu=1)["spec"], "restartPolicy": "Never"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "ml", **meta},
        "spec": {"suspend": True, "template": {"metadata": {}, "spec": spec}},
    }


def test_a_suspended_job_is_resumed(explained: Any) -> None:
    found = explained(node("a0", gpu=1), pod("o", on="a0"), job(), args=("job/train",))
    (way,) = found["waysOut"]
    (change,) = way["changes"]
    assert (way["kind"], way["after"]["node"]) == ("resume", "a0")
    assert change["command"] == 'kubectl patch job train -n ml --type merge -p \'{"spec":{"suspend":false}}\''
    assert change["undo"] == 'kubectl patch job train -n ml --type merge -p \'{"spec":{"suspend":true}}\''


def test_what_would_keep_it_waiting_is_cured_first(explained: Any) -> None:
    cordoned = node("a0", gpu=1)
    cordoned["spec"]["unschedulable"] = True
    ways = explained(cordoned, pod("o", on="a0"), job(), args=("job/train",))["waysOut"]
    assert ways[0]["title"] == "Uncordon a0; then: resume job/train, which somebody suspended"
    assert explained(cordoned, pod("o", on="a0"), job(), args=("job/train", "--max-risk", "low"))["waysOut"] == []


def test_a_job_that_a_queue_holds_isnt_resumed_by_hand(explained: Any) -> None:
    queued = job(labels={"kueue.x-k8s.io/queue-name": "team"})
    assert explained(node("a0", gpu=1), pod("o", on="a0"), queued, args=("job/train",))["waysOut"] == []


def test_who_asks_by_claim_and_by_number_drops_the_number(explained: Any) -> None:
    driver = "gpu.nvidia.com"
    select = [{"cel": {"expression": f"device.driver == '{driver}'"}}]
    api = {"apiVersion": "resource.k8s.io/v1"}
    objects = [
        {**api, "kind": "DeviceClass", "metadata": {"name": driver}, "spec": {"selectors": select}},
        {
            **api,
            "kind": "ResourceSlice",
            "metadata": {"name": "a0-gpus"},
            "spec": {
                "driver": driver,
                "nodeName": "a0",
                "pool": {"name": "a0", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "gpu-0"}],
            },
        },
        {
            **api,
            "kind": "ResourceClaim",
            "metadata": {"name": "one", "namespace": "ml"},
            "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": driver}}]}},
        },
    ]
    asks = pod("p", gpu=1, owner="Deployment/p", resourceClaims=[{"name": "gpu", "resourceClaimName": "one"}])
    asks["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]
    way = explained(node("a0"), *objects, asks)["waysOut"][0]
    assert way["title"] == "Drop nvidia.com/gpu from container main: claim one asks for the device already"
    (container,) = way["changes"][0]["patch"]["spec"]["template"]["spec"]["containers"]
    assert container["resources"] == {"limits": {"nvidia.com/gpu": None}, "requests": {"nvidia.com/gpu": None}}
    assert way["after"]["node"] == "a0"
