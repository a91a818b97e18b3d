"""`aliquot explain --would`: manifests that aren't applied yet, judged beside the pods that wait."""

import io
import json
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run
from tests.cluster import kubeconfigs
from tests.cluster.api_server import ApiServer
from tests.kube.manifests import ASKS, GPU, ONE_FREE, Ask, Json, node, pod, running, verdicts, workload


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
