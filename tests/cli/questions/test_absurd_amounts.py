"""Amounts that no API server takes, or that don't fit 64 bits, and namespaces of objects that belong to none."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

Json = dict[str, Any]
GPU = "nvidia.com/gpu"
NODE: Json = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "g1"},
    "status": {
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", GPU: "2"},
        "nodeInfo": {"kubeletVersion": "v1.36.1"},
    },
}


def pod(**resources: Json) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ml"},
        "spec": {
            "initContainers": [{"name": "i"}],
            "containers": [{"name": "c"}, {"name": "d", "resources": resources}],
        },
    }


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def asked(*objects: Json, output: str = "json") -> tuple[int, Any, str]:
        file = tmp_path / "dump.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        status = run(["explain", "-A", "-f", str(file), "-o", output])
        out, err = capsys.readouterr()
        return status, json.loads(out) if output == "json" else out, err.replace(str(file), "dump.json")

    return asked


@pytest.mark.parametrize(
    ("resources", "verdict", "words"),
    [
        pytest.param(
            {"limits": {GPU: "0.5"}},
            "placeable",
            f"limits.{GPU}: ml/p: 0.5: the API server refuses this: {GPU} is given in whole numbers (judged as 1)",
            id="half a GPU",
        ),
        pytest.param(
            {"limits": {GPU: -1}},
            "placeable",
            f"limits.{GPU}: ml/p: -1: the API server refuses this: amounts are never negative (judged as 0)",
            id="less than no GPU",
        ),
        pytest.param(
            {"requests": {"memory": "-5Gi"}},
            "placeable",
            "requests.memory: ml/p: -5Gi: the API server refuses this: amounts are never negative (judged as 0)",
            id="less than no memory",
        ),
        pytest.param(
            {"requests": {"cpu": "1e400"}},
            "pending",
            "requests.cpu: ml/p: 1e400: more than Kubernetes can count (64 bits) (judged as what no node has)",
            id="more cpu than there are atoms",
        ),
        pytest.param(
            {"limits": {GPU: "100000000000000000000"}},
            "pending",
            f"limits.{GPU}: ml/p: 100000000000000000000: more than Kubernetes can count",
            id="more GPUs than 64 bits count",
        ),
    ],
)
def test_they_are_told_with_file_and_field_and_the_rest_is_judged(
    told: Any, resources: Json, verdict: str, words: str
) -> None:
    _, answer, err = told(NODE, pod(**resources))
    assert [one["verdict"] for one in answer["pods"]] == [verdict]
    assert f"warning: dump.json, line 1: items[1].spec.containers[1].resources.{words}" in err
    assert len(answer["warnings"]) == 1


def test_a_workloads_template(told: Any) -> None:
    template = {"spec": {"containers": [{"name": "c", "resources": {"limits": {GPU: "1.5"}}}]}}
    made = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {"template": template}}
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "c"},
        "spec": {"jobTemplate": {"spec": {"template": template}}},
    }
    _, _, err = told(NODE, pod(), made, cron)
    assert f"items[2].spec.template.spec.containers[0].resources.limits.{GPU}: default/d: 1.5: the API server" in err
    assert "items[3].spec.jobTemplate.spec.template.spec.containers[0].resources" in err


def test_what_is_right_is_no_warning(told: Any) -> None:
    right: Json = {"limits": {"cpu": "1500m", "memory": "0.5Gi", GPU: "2"}, "requests": {"cpu": "0.1", "memory": 1}}
    assert told(NODE, pod(**right))[2] == ""


def test_they_print_as_they_are(told: Any) -> None:
    out = told(NODE, pod(limits={GPU: "100000000000000000000"}), output="text")[1]
    assert "asks for 100000000000000000000 nvidia.com/gpu on one node, more than any node has" in " ".join(out.split())
    out = told(NODE, pod(requests={"memory": "1e400", "cpu": "1e300"}), output="text")[1]
    flowing = " ".join(out.split())
    assert "1e300 asked" in flowing
    assert "1e400 asked" in flowing
    assert max(map(len, out.split())) < 60


@pytest.mark.parametrize(
    "thing",
    [
        {**NODE, "metadata": {"name": "g2", "namespace": "ml"}},
        {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "spec": {}},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1},
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "x"},
        {"apiVersion": "v1", "kind": "PersistentVolume", "spec": {}},
        {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "handler": "x"},
        {"apiVersion": "v1", "kind": "Namespace"},
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "spec": {"driver": "x", "nodeName": "g1", "pool": {"name": "p"}},
        },
    ],
    ids=lambda thing: thing["kind"],
)
def test_an_object_of_the_cluster_has_no_namespace(told: Any, thing: Json) -> None:
    _, answer, err = told(NODE, pod(), {"metadata": {"name": "x", "namespace": "ml"}, **thing})
    assert f"items[2].metadata.namespace: a {thing['kind']} belongs to no namespace" in err
    assert len(answer["warnings"]) == 1


def test_a_class_is_found_without_the_namespace_that_was_written(told: Any) -> None:
    of_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu", "namespace": "ml"},
        "spec": {"selectors": [{"cel": {"expression": "true"}}]},
    }
    requests = [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "ml"},
        "spec": {"devices": {"requests": requests}},
    }
    user = pod()
    user["spec"]["resourceClaims"] = [{"name": "g", "resourceClaimName": "c"}]
    published = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": "x",
            "nodeName": "g1",
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "d0"}],
        },
    }
    status, answer, _ = told(NODE, of_class, claim, published, user)
    assert status == 0
    assert answer["pods"][0]["verdict"] == "placeable"
