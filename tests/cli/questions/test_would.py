"""`aliquot explain --would`: manifests that aren't applied yet, judged beside the pods that wait."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run
from tests.cluster import kubeconfigs
from tests.cluster.api_server import ApiServer

Json = dict[str, Any]
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

Ask = Callable[..., tuple[int, Json, str]]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(cluster: list[Json], manifest: list[Json], *more: str) -> tuple[int, Json, str]:
        (tmp_path / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster}))
        (tmp_path / "new.yaml").write_text(yaml.safe_dump_all(manifest))
        files = ["-f", str(tmp_path / "cluster.json"), "--would", str(tmp_path / "new.yaml")]
        status = run(["explain", *files, "-n", "ml", "-o", "json", *more])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else {}, err

    return asked


def verdicts(answer: Json) -> dict[str, str]:
    return {one["pod"]: one["verdict"] for one in answer["pods"]}


def test_two_replicas_that_want_the_last_gpu(ask: Ask) -> None:
    status, answer, err = ask(ONE_FREE, [workload("Deployment", replicas=2)])
    assert status == 3
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm-2": "placeable"}
    first, second = answer["pods"]
    assert first["owner"] == "deployment ml/llm"
    assert first["forecast"] == ""
    assert second["forecast"] == ("Forecast: after ml/llm-1 is placed (earlier in the queue), no room is left for it.")
    assert "Deployment ml/llm makes 2 pods, judged as ml/llm-1 and ml/llm-2" in err


def test_they_are_one_block_with_the_queues_line(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(ONE_FREE, [workload("Deployment", replicas=3)])
    files = ["-f", str(tmp_path / "cluster.json"), "--would", str(tmp_path / "new.yaml")]
    for output in ("text", "wide"):
        assert run(["explain", *files, "-n", "ml", "-o", output]) == 3
        flowing = " ".join(capsys.readouterr().out.split())
        assert "? ml/llm-1 placeable (deployment/llm) and 2 more like it" in flowing
        assert "Forecast: as the queue takes them, 1 of these 3 pods has room; for ml/llm-2: after" in flowing
        assert "3 pods: 3 placeable (2 only until the others are placed)." in flowing


def test_they_come_behind_the_pods_that_wait(ask: Ask) -> None:
    waits = pod("zz-waits", phase="Pending")
    waits["metadata"]["creationTimestamp"] = "2026-11-30T10:00:00Z"
    status, answer, _ = ask([*ONE_FREE, waits], [workload("ReplicaSet", replicas=1)])
    assert status == 3
    assert answer["pods"][0]["forecast"].startswith("Forecast: after ml/zz-waits is placed")


def test_enough_room(ask: Ask) -> None:
    status, answer, _ = ask([node(), running("a"), node("g2", 4)], [workload("StatefulSet", replicas=3)])
    assert status == 0
    assert verdicts(answer) == {f"ml/llm-{number}": "placeable" for number in range(3)}
    assert not any(one["forecast"] for one in answer["pods"])


@pytest.mark.parametrize(
    ("manifest", "pods", "said"),
    [
        pytest.param(pod("solo"), ["ml/solo"], "", id="pod"),
        pytest.param(workload("Deployment"), ["ml/llm-1"], "makes 1 pod, judged as ml/llm-1", id="one replica"),
        pytest.param(workload("Deployment", replicas=0), [], "has 0 replicas, so it makes no pods", id="none"),
        pytest.param(
            workload("Job", group="batch", parallelism=3, completions=2), ["ml/llm-1", "ml/llm-2"], "2 pods", id="job"
        ),
        pytest.param(workload("Job", group="batch", suspend=True), [], "is suspended", id="suspended"),
        pytest.param(
            workload("CronJob", group="batch", jobTemplate={"spec": {"template": {"spec": ASKS}}}),
            ["ml/llm-1"],
            "CronJob ml/llm makes 1 pod at each run",
            id="cron job",
        ),
        pytest.param(workload("DaemonSet"), ["ml/llm-1"], "one is judged, which may go to any of them", id="daemons"),
        pytest.param(workload("Deployment", template=None), [], "has no pod template", id="no template"),
    ],
)
def test_what_each_kind_makes(ask: Ask, manifest: Json, pods: list[str], said: str) -> None:
    _, answer, err = ask([*ONE_FREE, node("g2", 8)], [manifest])
    assert list(verdicts(answer)) == pods
    assert set(verdicts(answer).values()) <= {"placeable"}
    assert said in err


def claim_template(name: str, device_class: str) -> Json:
    exactly = {"deviceClassName": device_class}
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"spec": spec},
    }


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
WITH_CLAIM = {"containers": [{"name": "main"}], "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one"}]}


def test_claims_are_made_from_the_manifests_templates(ask: Ask) -> None:
    made = workload("Deployment", replicas=2, template={"metadata": {}, "spec": WITH_CLAIM})
    status, answer, _ = ask([*ONE_FREE, SLICE], [made, claim_template("one", "gpu"), CLASS])
    assert status == 3
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm-2": "placeable"}
    assert "ml/llm-1" in answer["pods"][1]["forecast"]


def test_a_template_that_nobody_has(ask: Ask) -> None:
    made = workload("Deployment", template={"metadata": {}, "spec": WITH_CLAIM})
    status, answer, _ = ask([*ONE_FREE, SLICE, CLASS], [made])
    assert status == 3
    assert verdicts(answer) == {"ml/llm-1": "pending"}
    assert "one" in answer["pods"][0]["sentence"]


def test_devices_that_nobody_publishes_are_unknown(ask: Ask) -> None:
    made = workload("Deployment", template={"metadata": {}, "spec": WITH_CLAIM})
    _, _, err = ask(ONE_FREE, [made, claim_template("one", "gpu"), CLASS])
    assert "no ResourceSlices, and ml/llm-1 asks for devices by claims" in err


OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "llm", "uid": "u", "controller": True}


def test_what_is_there_is_replaced_and_told(ask: Ask) -> None:
    there = workload("Deployment", replicas=2)
    there["metadata"]["namespace"] = "ml"
    cluster = [node(), there, running("llm-a", OWNER), running("llm-b", OWNER)]
    status, answer, err = ask(cluster, [workload("Deployment", replicas=2)])
    assert status == 0
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm-2": "placeable"}
    assert "Deployment ml/llm is there with 2 pods: judged as if it were deleted first" in err
    assert any("is there with 2 pods" in one["message"] for one in answer["warnings"])


def test_a_pod_that_runs_is_judged_anew(ask: Ask) -> None:
    status, answer, err = ask([node("g1", 1), running("holder")], [running("holder")])
    assert status == 0
    assert verdicts(answer) == {"ml/holder": "placeable"}
    assert "Pod ml/holder is there: it's taken away" in err
    assert "names its node (g1)" in err


def test_another_class_of_the_same_name(ask: Ask) -> None:
    other = {**CLASS, "spec": {"selectors": [{"cel": {"expression": 'device.driver == "gpu.amd.com"'}}]}}
    made = [pod("p", WITH_CLAIM), claim_template("one", "gpu")]
    assert ask([*ONE_FREE, SLICE, CLASS], [*made, CLASS])[0] == 0
    status, _, err = ask([*ONE_FREE, SLICE, CLASS], [*made, other])
    assert status == 3
    assert "DeviceClass gpu is there and differs: the manifest's takes its place" in err


def test_priority_comes_from_the_clusters_class(ask: Ask) -> None:
    high = {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": 1000,
    }
    urgent = pod("urgent", {**ASKS, "priorityClassName": "high"})
    status, answer, _ = ask([node("g1", 1), running("holder"), high], [urgent])
    assert status == 0
    assert "after preempting ml/holder" in answer["pods"][0]["sentence"]


def test_a_quota_lets_in_only_some(ask: Ask) -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "ml"},
        "spec": {"hard": {f"requests.{GPU}": "2"}},
        "status": {"hard": {f"requests.{GPU}": "2"}, "used": {f"requests.{GPU}": "1"}},
    }
    status, answer, _ = ask([*ONE_FREE, node("g2", 8), quota], [workload("Deployment", replicas=3)])
    assert status == 3
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm": "blocked"}
    assert "gpus" in answer["pods"][1]["sentence"]
    status, _, err = ask([*ONE_FREE, node("g2", 8), quota], [pod("a"), pod("b")])
    assert status == 3
    assert "Pod ml/b would be refused by ResourceQuota ml/gpus" in err
    assert "Pod ml/a would" not in err


def test_a_stateful_sets_volumes(ask: Ask) -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "nowhere"}}
    made = workload("StatefulSet", volumeClaimTemplates=[claim])
    other = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "x",
    }
    status, answer, _ = ask([*ONE_FREE, other], [made])
    assert status == 3
    assert "data-llm-0" in answer["pods"][0]["sentence"]


def test_namespaces(ask: Ask) -> None:
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml"}}
    elsewhere = workload("Deployment")
    elsewhere["metadata"]["namespace"] = "new"
    _, answer, err = ask([*ONE_FREE, space], [workload("Deployment", "a"), elsewhere])
    assert list(verdicts(answer)) == ["ml/a-1", "new/llm-1"]
    assert "namespace new isn't there: the API server refuses the manifest without it" in err
    assert "namespace ml isn't there" not in err


def test_from_standard_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": ONE_FREE}))
    text = yaml.safe_dump(workload("Deployment")).encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run(["explain", "--would", "-", "-f", str(tmp_path / "c.json"), "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["pods"][0]["pod"] == "default/llm-1"


def test_names_that_are_taken_are_not_given_again(ask: Ask) -> None:
    _, answer, _ = ask([node("g1", 8), pod("llm-1", phase="Pending")], [workload("Deployment", replicas=2)])
    assert list(verdicts(answer)) == ["ml/llm-2", "ml/llm-3"]


def test_what_is_there_already_and_the_same_is_left_as_it_is(ask: Ask) -> None:
    volume: Json = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ml"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    bound = {
        **volume,
        "spec": {**volume["spec"], "storageClassName": "fast", "volumeName": "pv-1"},
        "status": {"phase": "Bound"},
    }
    claim: Json = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "shared", "namespace": "ml"},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}},
    }
    results = [{"request": "gpu", "driver": "gpu.nvidia.com", "pool": "g1", "device": "gpu-0"}]
    allocated = {**claim, "status": {"allocation": {"devices": {"results": results}}}}
    user = pod(
        "user", {"containers": [{"name": "c"}], "resourceClaims": [{"name": "g", "resourceClaimName": "shared"}]}
    )
    status, answer, err = ask([*ONE_FREE, SLICE, CLASS, bound, allocated], [user, volume, claim, CLASS])
    assert status == 0
    assert verdicts(answer) == {"ml/user": "placeable"}
    assert "is there" not in err


def test_a_workload_without_pods_is_replaced(ask: Ask) -> None:
    there = workload("Deployment", replicas=0)
    there["metadata"]["namespace"] = "ml"
    status, answer, err = ask([*ONE_FREE, there], [workload("Deployment")])
    assert status == 0
    assert list(verdicts(answer)) == ["ml/llm-1"]
    assert "Deployment ml/llm is there, without pods: the manifest's takes its place" in err


@pytest.mark.enable_socket
def test_against_the_live_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "new.yaml").write_text(yaml.safe_dump(workload("Deployment", replicas=2)))
    there = tmp_path / "there.json"
    there.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": ONE_FREE}))
    with ApiServer(kubeconfigs.objects_of(there)) as server:
        config = kubeconfigs.write(tmp_path / "kubeconfig", server.url)
        files = ["--would", str(tmp_path / "new.yaml"), "--kubeconfig", str(config)]
        assert run(["explain", *files, "-n", "ml", "-o", "json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert verdicts(answer) == {"ml/llm-1": "placeable", "ml/llm-2": "placeable"}
    assert "ml/llm-1 is placed" in answer["pods"][1]["forecast"]


def test_as_a_page(ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask(ONE_FREE, [workload("Deployment", replicas=2)])
    files = ["-f", str(tmp_path / "cluster.json"), "--would", str(tmp_path / "new.yaml")]
    assert run(["explain", *files, "-n", "ml", "-o", "html"]) == 3
    page = capsys.readouterr().out
    assert "ml/llm-1" in page
    assert "1 of these 2 pods has room" in page


SERVICE = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}


def test_what_makes_no_pods_is_an_error(ask: Ask) -> None:
    status, _, err = ask(ONE_FREE, [SERVICE, CLASS])
    assert status == 2
    assert "nothing in it makes pods: it holds only DeviceClass, Service" in err
    assert "hint: these are judged: Pod, Deployment" in err


def test_what_is_not_judged_is_told(ask: Ask) -> None:
    cluster = {"apiVersion": "ray.io/v1", "kind": "RayCluster", "metadata": {"name": "r"}}
    status, _, err = ask(ONE_FREE, [workload("Deployment"), cluster])
    assert status == 0
    assert "not judged: 1 RayCluster (if they make pods, those are not in the answer)" in err


def test_broken_objects_are_told_and_the_rest_is_judged(ask: Ask) -> None:
    status, answer, err = ask(ONE_FREE, [workload("Deployment", replicas="two"), pod("solo")])
    assert status == 0
    assert list(verdicts(answer)) == ["ml/solo"]
    assert 'spec.replicas: expected an integer, found "two"' in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["--would", "nowhere.yaml"], "nowhere.yaml: can't be opened", id="no such file"),
        pytest.param(["--would", "-", "-f", "-"], "standard input can't be the cluster and the manifest", id="twice"),
        pytest.param(["x", "--would", "a.yaml"], "only one of them", id="with a target"),
        pytest.param(["-A", "--would", "a.yaml"], "only one of them", id="with all"),
    ],
)
def test_mistakes(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", *arguments, *([] if "-f" in arguments else ["-f", "x.yaml"])]) == 2
    assert words in capsys.readouterr().err


def test_what_admission_would_fill_in_is_told(ask: Ask) -> None:
    given = {"type": "Container", "default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}}
    limits = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "small", "namespace": "ml"}}
    kata = pod("p", {**ASKS, "runtimeClassName": "kata"})
    _, _, err = ask([*ONE_FREE, {**limits, "spec": {"limits": [given]}}], [kata])
    assert "LimitRange ml/small gives requests of cpu to containers that have none: they're judged without" in err
    assert "RuntimeClass kata may add an overhead, which isn't counted" in err


def test_resources_that_the_api_server_refuses_are_no_room(ask: Ask) -> None:
    def asking(name: str, **resources: Json) -> Json:
        return pod(name, {"containers": [{"name": "main", "image": "x", "resources": resources}]})

    status, answer, _ = ask(
        [node()],
        [
            asking("more", requests={GPU: 1}, limits={GPU: 2}),
            asking("none", requests={GPU: 1}),
            asking("half", limits={GPU: "0.5"}),
            asking("well", limits={GPU: 1}),
        ],
    )
    assert status == 3
    assert verdicts(answer) == {
        "ml/more": "blocked",
        "ml/none": "blocked",
        "ml/half": "blocked",
        "ml/well": "placeable",
    }
    sentences = {one["pod"]: one["sentence"] for one in answer["pods"]}
    assert sentences["ml/more"] == (
        "The API server refuses it: container main asks for 1 nvidia.com/gpu with a limit of 2: they must be the same."
        " There would be room for it on g1."
    )
    assert "asks for 1 nvidia.com/gpu without a limit, which it must have" in sentences["ml/none"]
    assert "nvidia.com/gpu is given in whole numbers" in sentences["ml/half"]


def test_the_first_model_of_an_empty_cluster(ask: Ask) -> None:
    status, answer, err = ask([node()], [pod("p")])
    assert (status, verdicts(answer)) == (0, {"ml/p": "placeable"})
    assert "the cluster's input has no pods: nothing there counts as used" in err
