"""A Job that Kueue keeps suspended: what its queue says, or that it isn't there; and Jobs where there are no pods."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Ask = Callable[..., tuple[int, Json, str]]
LABEL = "kueue.x-k8s.io/queue-name"


def kueue(kind: str, name: str, spec: Json, **status: Any) -> Json:
    meta = {"name": name} if kind == "ClusterQueue" else {"name": name, "namespace": "ml"}
    return {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": kind, "metadata": meta, "spec": spec, "status": status}


def job(queue: str = "") -> Json:
    template = {"spec": {**pod("x", gpu=1)["spec"], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "namespace": "ml", "uid": "u", "labels": {LABEL: queue} if queue else {}},
        "spec": {"suspend": True, "template": template},
    }


def workload(queue: str, reason: str, message: str) -> Json:
    reserved = {"type": "QuotaReserved", "status": "False", "reason": reason, "message": message}
    made = kueue("Workload", "job-train-1", {"queueName": queue, "active": True}, conditions=[reserved])
    made["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u"}]
    return made


QUEUES = (kueue("ClusterQueue", "all", {}), kueue("LocalQueue", "team", {"clusterQueue": "all"}))
RUNS = pod("runs", on="a")


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(*things: Json, target: str = "-A") -> tuple[int, Json, str]:
        file = tmp_path / "dump.json"
        file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node("a", gpu=1), *things]}))
        status = run(["explain", target, "-f", str(file), "-o", "json"])
        out, err = capsys.readouterr()
        return status, json.loads(out)["pods"][0] if out else {}, err

    return asked


@pytest.mark.parametrize("target", ["-A", "job/train"])
def test_what_the_queue_says(ask: Ask, target: str) -> None:
    full = "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu"
    status, found, _ = ask(*QUEUES, RUNS, job("team"), workload("team", "Pending", full), target=target)
    assert (status, found["verdict"], found["cause"]["kind"]) == (3, "blocked", "queue")
    assert found["sentence"] == (
        f"Job ml/train is suspended until its queue admits it. Kueue hasn't admitted it (Workload job-train-1): {full}."
    )


def test_a_queue_that_isnt_there(ask: Ask) -> None:
    _, found, _ = ask(*QUEUES, RUNS, job("team-lq"))
    assert "LocalQueue team-lq, which it names, doesn't exist; team is probably meant." in found["sentence"]
    (advice,) = found["advice"]
    assert advice["command"] == f"kubectl label job train -n ml --overwrite {LABEL}=team"
    others = kueue("LocalQueue", "b", {"clusterQueue": "all"})
    _, found, _ = ask(*QUEUES, others, RUNS, job("x"))
    assert "LocalQueue x, which it names, doesn't exist (there are b and team)." in found["sentence"]
    assert found["advice"][0]["command"] == "kubectl get localqueues -n ml"


def test_of_a_queue_that_the_input_lacks_nothing_is_known(ask: Ask) -> None:
    _, found, _ = ask(RUNS, job("team"), target="job/train")
    assert found["sentence"].endswith("Its queue, team (Kueue), resumes it, and the input doesn't say why it hasn't.")


def test_a_suspended_job_where_the_input_has_no_pods(ask: Ask) -> None:
    status, found, err = ask(job())
    assert (status, found["pod"], found["waysOut"][0]["kind"]) == (3, "ml/train", "resume")
    assert "no pods, so that nothing counts as used: less may be free than is said" in err
    assert "kubectl get pods -A" in err
    status, _, err = ask()
    assert (status, "error: the input has no pods" in err) == (2, True)


def test_pods_that_were_never_made_where_the_input_has_no_pods(ask: Ask) -> None:
    message = 'pods "llm-x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
    condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llm", "namespace": "ml", "uid": "d"},
        "spec": {"replicas": 1, "selector": {}, "template": {"spec": pod("x", gpu=1)["spec"]}},
        "status": {"conditions": [condition]},
    }
    status, found, err = ask(deployment)
    assert (status, found["pod"]) == (3, "ml/llm")
    assert "exceeded quota, ResourceQuota q" in found["sentence"]
    assert "no pods, so that nothing counts as used" in err
    status, _, err = ask({**deployment, "status": {}})
    assert (status, "error: the input has no pods" in err) == (2, True)
