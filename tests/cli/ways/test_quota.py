"""Pods that a quota keeps from being made: told as such also where the GPUs are full, and raised for all of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod
from scenarios.drivers import Json

GPU = "requests.nvidia.com/gpu"
REFUSED = f'pods "llm-1-x" is forbidden: exceeded quota: q, requested: {GPU}=1, used: {GPU}=1, limited: {GPU}=1'
HOLDER = pod("old", on="a0", gpu=1, owner="Deployment/old")

Ask = Callable[..., tuple[int, Any]]


def quota() -> Json:
    amounts = {"hard": {GPU: "1"}, "used": {GPU: "1"}}
    meta = {"name": "q", "namespace": "ml"}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": meta,
        "spec": {"hard": {GPU: "1"}},
        "status": amounts,
    }


def template(**more: Any) -> Json:
    return {"metadata": {"labels": {"app": "llm"}}, "spec": {**pod("x", gpu=1)["spec"], **more}}


def deployment(message: str = REFUSED, replicas: int = 2) -> Json:
    failed = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "llm", "namespace": "ml", "uid": "u"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "llm"}}, "template": template()},
        "status": {"conditions": [failed] if message else []},
    }


def job(**spec: Any) -> Json:
    made = {"parallelism": 4, "completions": 4, "template": template(restartPolicy="Never"), **spec}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "ml"}, "spec": made}


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(*objects: Json, args: tuple[str, ...] = ("-A",), output: str = "json") -> tuple[int, Any]:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        status = run(["explain", *args, "-f", str(dump), "-o", output])
        text = capsys.readouterr().out
        return status, json.loads(text)["pods"][0] if output == "json" else " ".join(text.split())

    return asked


def test_the_quota_is_the_cause_also_where_the_gpus_are_full(ask: Ask) -> None:
    cluster = (node("a0", gpu=1), HOLDER, quota(), deployment())
    status, found = ask(*cluster)
    assert (status, found["verdict"], found["cause"]["kind"]) == (3, "blocked", "quota")
    assert found["sentence"].startswith(
        f"The pods of llm aren't created: exceeded quota, ResourceQuota q: {GPU} 1 asked, 1 used of 1. With that mended"
        " they would still wait. The only nvidia.com/gpu (a0) is taken"
    )
    assert found["cause"]["objects"][0] == "q"
    assert (found["schedulerMessage"], found["reason"]) == ("", "")
    assert [one["pod"] for one in found["holders"]] == ["ml/old"]
    assert {way["kind"] for way in found["waysOut"]} == {"combined"}
    first = found["waysOut"][0]
    assert first["title"].startswith(f"Raise ResourceQuota q to 3 of {GPU} for 2 more pods; then: ")
    assert any("add a node like a0" in way["title"] for way in found["waysOut"])
    assert first["changes"][0]["patch"] == {"spec": {"hard": {GPU: "3"}}}
    assert "nodes are available" not in ask(*cluster, output="text")[1]


def test_it_isnt_raised_where_that_isnt_wanted(ask: Ask) -> None:
    cluster = (node("a0", gpu=1), HOLDER, quota(), deployment())
    found = ask(*cluster, args=("-A", "--avoid", "raise-quota"))[1]
    assert (found["verdict"], found["waysOut"]) == ("blocked", [])


def test_what_no_raise_cures_has_no_way_out(ask: Ask) -> None:
    refused = 'pods "llm-1-x" is forbidden: admission webhook "no.example.org" denied the request: no'
    found = ask(node("a0", gpu=1), HOLDER, deployment(refused))[1]
    assert (found["verdict"], found["cause"]["kind"], found["waysOut"]) == ("blocked", "not-created", [])
    assert "With that mended they would still wait. The only nvidia.com/gpu (a0) is taken" in found["sentence"]


def test_without_a_word_of_the_scheduler_also_where_there_is_room(ask: Ask) -> None:
    found = ask(node("a0", gpu=3), HOLDER, quota(), deployment())[1]
    assert (found["verdict"], found["schedulerMessage"]) == ("blocked", "")
    (way,) = found["waysOut"]
    assert way["title"] == f"Raise ResourceQuota q to 3 of {GPU} for 2 more pods"
    assert way["after"]["node"] == "a0"


def test_of_a_pod_that_would_preempt(ask: Ask) -> None:
    made = deployment()
    made["spec"]["template"]["spec"]["priority"] = 5
    found = ask(node("a0", gpu=1), HOLDER, quota(), made)[1]
    (way,) = found["waysOut"]
    assert (way["kind"], way["after"]["evicted"]) == ("raise-quota", ["ml/old"])
    assert found["schedulerMessage"] == ""


@pytest.mark.parametrize(
    ("spec", "title"),
    [
        pytest.param({}, "to 5 of {} for 4 more pods, and there's room for 3 of them now", id="all"),
        pytest.param({"completions": 2}, "to 3 of {} for 2 more pods", id="no more than complete"),
        pytest.param({"completions": None}, "to 5 of {} for 4 more pods, and there's room for 3 of", id="open"),
        pytest.param({"parallelism": None}, "to 2 of {} for 1 more pod", id="one at a time"),
    ],
)
def test_a_job_s_pods_are_all_counted(ask: Ask, tmp_path: Path, spec: Json, title: str) -> None:
    manifest = tmp_path / "job.json"
    manifest.write_text(json.dumps(job(**spec)), encoding="utf-8")
    status, found = ask(node("a0", gpu=4), HOLDER, quota(), args=("--would", str(manifest)))
    assert (status, found["pod"], found["verdict"]) == (3, "ml/train", "blocked")
    (way,) = found["waysOut"]
    assert way["title"].startswith(f"Raise ResourceQuota q {title.format(GPU)}")


def test_those_that_were_made_are_placed_first(ask: Ask) -> None:
    half = {**job(parallelism=3, completions=8), "status": {"active": 1, "succeeded": 1}}
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "ml"},
        "involvedObject": {"kind": "Job", "name": "train", "namespace": "ml"},
        "reason": "FailedCreate",
        "type": "Warning",
        "message": REFUSED,
    }
    waits = pod("train-1", gpu=1, owner="Job/train")
    found = ask(node("a0", gpu=3), HOLDER, quota(), half, event, waits, args=("-A", "--cause", "quota"))[1]
    (way,) = found["waysOut"]
    assert way["title"] == (f"Raise ResourceQuota q to 3 of {GPU} for 2 more pods, and there's room for 1 of them now")


@pytest.mark.parametrize(
    ("said", "sentence", "commands"),
    [
        (
            "requests.cpu for: main",
            "ResourceQuota q demands amounts that aren't set: requests.cpu of container main.",
            ["kubectl set resources deployment llm -n ml -c main --requests=cpu=AMOUNT"],
        ),
        (
            "limits.memory for: main,side; requests.cpu for: side",
            "limits.memory of containers main and side and requests.cpu of container side.",
            [
                "kubectl set resources deployment llm -n ml -c main,side --limits=memory=AMOUNT",
                "kubectl set resources deployment llm -n ml -c side --requests=cpu=AMOUNT",
            ],
        ),
    ],
)
def test_what_a_quota_demands_and_nobody_sets(ask: Ask, said: str, sentence: str, commands: list[str]) -> None:
    refused = f'pods "llm-1-x" is forbidden: failed quota: q: must specify {said}'
    _, found = ask(node("a0", gpu=2), HOLDER, quota(), deployment(refused))
    assert (found["verdict"], found["cause"]["kind"]) == ("blocked", "quota")
    assert found["sentence"].endswith(sentence)
    assert "exceeded" not in found["sentence"]
    assert [one["command"] for one in found["advice"]] == commands
