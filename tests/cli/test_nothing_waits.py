"""`aliquot explain` of what no free GPU would help: held or ended workloads, crashes, a reason beside a taint."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

Json = dict[str, Any]
ASKS = {"containers": [{"name": "main", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}
TAINT = {"key": "gpu", "value": "only", "effect": "NoSchedule"}


def node(**spec: Any) -> Json:
    there = {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "1"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "g1"},
        "spec": spec,
        "status": {
            "allocatable": there,
            "capacity": there,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": "v1.36.1"},
        },
    }


def pod(name: str, spec: Json | None = None, **status: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {**ASKS, **(spec or {})},
        "status": {"phase": "Pending", **status},
    }


HOLDER = pod("holder", {"nodeName": "g1"}, phase="Running")
TEMPLATE = {"metadata": {"labels": {"app": "a"}}, "spec": ASKS}
JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train", "namespace": "ml"},
    "spec": {"suspend": True, "template": TEMPLATE},
}
EMPTY = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "llm", "namespace": "ml"},
    "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "a"}}, "template": TEMPLATE},
}
WAITING = {"name": "main", "restartCount": 40, "ready": False, "state": {"waiting": {"reason": "CrashLoopBackOff"}}}


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(target: str, *things: Json) -> tuple[int, Json]:
        file = tmp_path / "dump.json"
        file.write_text(json.dumps(things))
        status = run(["explain", target, "-n", "ml", "-f", str(file), "-o", "json"])
        (story,) = json.loads(capsys.readouterr().out)["pods"]
        return status, story

    return ask


@pytest.mark.parametrize(
    ("target", "thing", "words"),
    [
        ("job/train", JOB, "is suspended"),
        ("deployment/llm", EMPTY, "has 0 replicas"),
        ("pod/done", pod("done", {"nodeName": "g1"}, phase="Failed"), "has ended (Failed)"),
        (
            "pod/loop",
            pod("loop", {"nodeName": "g1"}, phase="Running", containerStatuses=[WAITING]),
            "CrashLoopBackOff, 40 restarts",
        ),
    ],
    ids=["suspended", "no replicas", "failed", "crashing"],
)
def test_a_taken_gpu_isnt_blamed(told: Any, target: str, thing: Json, words: str) -> None:
    status, story = told(target, node(), HOLDER, thing)
    assert (status, story["verdict"]) == (3, "blocked")
    assert words in story["cause"]["sentence"]
    # of a Job that is held: resumed, beside what its pods would need then
    assert all("resume job/train" in way["title"] for way in story["waysOut"])
    assert bool(story["waysOut"]) == (target == "job/train")


def test_there_is_no_room_where_another_reason_speaks_against_the_node(told: Any) -> None:
    big = {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1", "cpu": "100"}}}]}
    _, story = told("pod/big", node(taints=[TAINT]), pod("big", big))
    assert story["cause"]["kind"] == "taint"
    assert "There's room" not in story["cause"]["sentence"]
    assert "g1 has too little cpu left" in story["cause"]["sentence"]
    _, story = told("pod/small", node(taints=[TAINT]), pod("small"))
    assert "There's room on g1." in story["cause"]["sentence"]
