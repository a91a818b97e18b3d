"""`aliquot explain --node` and `--cause`: less than everything."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

Json = dict[str, Any]
GPU = "nvidia.com/gpu"


def node(name: str, gpus: int, **spec: Any) -> Json:
    there = {"cpu": "8", "memory": "32Gi", "pods": "110", GPU: str(gpus)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": spec,
        "status": {"allocatable": there, "capacity": there, "nodeInfo": {"kubeletVersion": "v1.36.1"}},
    }


def pod(name: str, gpus: int, at: str = "", **requests: str) -> Json:
    resources = {"limits": {GPU: str(gpus)}, "requests": requests}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"containers": [{"name": "c", "resources": resources}], **({"nodeName": at} if at else {})},
        "status": {"phase": "Running" if at else "Pending"},
    }


CLUSTER = [
    node("g1", 1),
    node("g2", 2),
    node("g3", 4, taints=[{"key": "team", "value": "vision", "effect": "NoSchedule"}]),
    pod("holder", 1, "g1"),
    pod("other", 2, "g2"),
    pod("one", 1),
    pod("eight", 8),
    pod("none", 0),
]


@pytest.fixture
def dump(tmp_path: Path) -> list[str]:
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": CLUSTER}))
    return ["explain", "-A", "-f", str(file)]


@pytest.fixture
def told(dump: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    def asked(*more: str) -> Any:
        run([*dump, "-o", "json", *more])
        return {one["pod"]: one for one in json.loads(capsys.readouterr().out)["pods"]}

    return asked


def test_only_what_a_node_says(told: Any) -> None:
    every, some = told()["ml/one"], told("--node", "g1")["ml/one"]
    assert {one["node"] for one in every["nodes"]} == {"g1", "g2", "g3"}
    assert [(one["node"], one["more"]) for one in some["nodes"]] == [("g1", [])]
    assert [one["pod"] for one in some["holders"]] == ["ml/holder"]
    assert {one["after"]["node"] for one in some["waysOut"]} == {"g1"}
    assert {one["after"]["node"] for one in every["waysOut"]} > {"g1"}
    assert some["sentence"] == every["sentence"]


def test_several_nodes(told: Any) -> None:
    some = told("--node", "g1", "--node", "g3")["ml/one"]
    assert {one["node"] for one in some["nodes"]} == {"g1", "g3"}


def test_a_pod_with_room_elsewhere_is_told_why_not_here(told: Any) -> None:
    assert told("--node", "g3")["ml/none"]["note"].startswith("g3 doesn't take it: ")
    both = told("--node", "g1", "--node", "g2")["ml/none"]
    assert both["note"] == "g1 has room for it. g2 has room for it."
    assert both["feasibleNodes"] == ["g1", "g2"]


def test_the_text_says_which_node_it_speaks_of(dump: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for output in ("text", "wide"):
        assert run([*dump, "--node", "g1", "--cause", "larger", "-o", output]) == 3
        out = capsys.readouterr().out
        assert "none of those tried places it on g1" in out or "then it runs on g1" in out
        assert "g2" not in out.replace("g2 and g3", "").partition("Ways out")[2]


def test_only_a_kind_of_cause(told: Any) -> None:
    kinds = {key: one["cause"]["kind"] for key, one in told().items() if one["cause"]}
    assert kinds["ml/eight"] == "larger-than-any"
    assert list(told("--cause", "larger-than-any")) == ["ml/eight"]
    assert list(told("--cause", kinds["ml/one"], "--cause", "larger-than-any")) == ["ml/eight", "ml/one"]


def test_a_part_of_the_sentence_is_a_cause_too(told: Any) -> None:
    assert list(told("--cause", "8 NVIDIA.com/gpu on one node")) == ["ml/eight"]


def test_unknown_ones_are_told_with_those_that_exist(dump: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*dump, "--cause", "moon"]) == 2
    err = capsys.readouterr().err
    assert "--cause moon: no pod in this answer waits for that" in err
    assert "larger-than-any (1 pod)" in err
    assert run([*dump, "--node", "g9"]) == 2
    assert "--node g9: there's no such node in the input" in capsys.readouterr().err


def test_nobody_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dump.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": CLUSTER[:4]}))
    assert run(["explain", "pod/holder", "-f", str(file), "--cause", "held"]) == 2
    assert "no pod in it waits for anything" in capsys.readouterr().err


def test_pods_that_run_elsewhere_are_left_out(dump: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    dump = [one for one in dump if one != "-A"]
    assert run([*dump, "pod/holder", "--node", "g2", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["pods"] == []
    assert run([*dump, "pod/holder", "--node", "g1", "-o", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["pods"][0]["verdict"] == "running"
