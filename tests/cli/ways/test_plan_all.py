"""`aliquot explain --plan-all`: the fewest steps that place all that wait, tried together."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod
from scenarios.drivers import Json
from tests.conftest import ROOT

CLOUD = {"node.kubernetes.io/instance-type": "p5.48xlarge", "eks.amazonaws.com/nodegroup": "h100"}
FULL = [node("h1", gpu=4, labels=CLOUD), pod("old", on="h1", gpu=4, owner="Deployment/old")]


def since(one: Json, second: int) -> Json:
    one["metadata"]["creationTimestamp"] = f"2026-01-01T00:00:{second:02}Z"
    return one


def replicas(name: str, count: int, second: int = 0, **asks: Any) -> list[Json]:
    return [
        since(pod(f"{name}-{n}", owner=f"Deployment/{name}", labels={"app": name}, **asks), second + n)
        for n in range(count)
    ]


@pytest.fixture
def planned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*objects: Json, args: tuple[str, ...] = (), output: str = "json") -> Any:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        run(["explain", "--plan-all", "-f", str(dump), "-o", output, *args])
        text = capsys.readouterr().out
        return json.loads(text) if output == "json" else text

    return ask


def test_two_more_nodes_place_all_five(planned: Any) -> None:
    objects = [*FULL, *replicas("w", 3, gpu=2), *replicas("v", 2, 10, gpu=1)]
    plan = planned(*objects)
    (step,) = plan["steps"]
    assert step["title"] == "Add 2 nodes like h1: 4 nvidia.com/gpu each"
    assert step["places"] == ["ml/v-0", "ml/v-1", "ml/w-0", "ml/w-1", "ml/w-2"]
    assert step["changes"][0]["command"].splitlines()[-1].endswith("--name h100 --nodes 3")
    assert step["cost"]["usdPerHour"] == pytest.approx(2 * 55.04)
    assert plan["staysPending"] == []
    text = " ".join(planned(*objects, output="text").split())
    assert "1 step places 5 of the 5 pods without room." in text
    assert "places 5 pods: ml/v-0 on" in text
    assert yaml.safe_load(planned(*objects, output="yaml"))["steps"][0]["title"] == step["title"]


def test_every_step_is_needed_and_says_whom_it_places(planned: Any) -> None:
    typo = pod("typo", gpu=1, owner="Deployment/t", nodeSelector={"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40BG"})
    cordoned = node("c0", more={"nvidia.com/mig-1g.5gb": 2}, labels={"kind": "mig"})
    cordoned["spec"]["unschedulable"] = True
    slices = replicas("s", 2, 10, requests={"nvidia.com/mig-1g.5gb": 1})
    plan = planned(node("a0", gpu=1), cordoned, since(typo, 1), *slices, pod("huge", gpu=64))
    placed = [(step["kind"], step["places"]) for step in plan["steps"]]
    assert sorted(placed) == [("fix-selector", ["ml/typo"]), ("uncordon", ["ml/s-0", "ml/s-1"])]
    (left,) = plan["staysPending"]
    assert left["pod"] == "ml/huge"
    assert "more than any node has" in left["why"]


def test_who_has_room_alone_and_loses_it_is_helped_too(planned: Any) -> None:
    cordoned = node("c0", gpu=1)
    cordoned["spec"]["unschedulable"] = True
    plan = planned(node("a0", gpu=1), cordoned, *replicas("a", 1, gpu=1), *replicas("b", 1, 5, gpu=1))
    assert plan["haveRoom"] == ["ml/a-0"]
    assert [(step["title"], step["places"]) for step in plan["steps"]] == [("Uncordon c0", ["ml/b-0"])]
    assert plan["nodes"] == [{"pod": "ml/a-0", "node": "a0"}, {"pod": "ml/b-0", "node": "c0"}]


def test_nobody_is_stopped_where_a_node_does(planned: Any) -> None:
    plan = planned(*FULL, *replicas("w", 2, gpu=4))
    assert [step["kind"] for step in plan["steps"]] == ["add-node"]
    assert all(step["stopped"] == [] for step in plan["steps"])
    without = planned(*FULL, *replicas("w", 1, gpu=4), args=("--avoid", "node"))
    assert [step["kind"] for step in without["steps"]] == ["free-device"]
    assert without["steps"][0]["stopped"] == ["ml/old"]
    text = planned(*FULL, *replicas("w", 1, gpu=4), args=("--avoid", "node"), output="text")
    assert "ml/old no longer runs" in " ".join(text.split())


def test_those_with_room_need_no_step_and_nothing_waits_is_said(planned: Any) -> None:
    plan = planned(node("n1", gpu=2), *replicas("w", 2, gpu=1))
    assert (plan["steps"], plan["haveRoom"]) == ([], ["ml/w-0", "ml/w-1"])
    text = planned(node("n1", gpu=2), *replicas("w", 2, gpu=1), output="text")
    assert "There's room for all 2 pods that wait: nothing needs to be changed." in text
    assert "No pod waits." in planned(node("n1", gpu=2), pod("old", on="n1", gpu=1), output="text")
    assert "No way out that was tried places any of the 1 pod without room." in planned(
        node("n1", gpu=2), pod("huge", gpu=64), output="text", args=("--avoid", "less")
    )


def test_pods_that_lose_the_room_to_others_are_told_so(planned: Any) -> None:
    pods = [*replicas("a", 1, gpu=1), *replicas("b", 1, 5, gpu=1)]
    plan = planned(node("n1", gpu=1), *pods, args=("--avoid", "node,sharing,evict"))
    why = "There's room for it by itself, but none is left once the others are placed."
    assert plan["staysPending"] == [{"pod": "ml/b-0", "why": why}]


def test_who_can_only_preempt_is_told_so(planned: Any) -> None:
    important = since(pod("top", gpu=1, owner="Deployment/top", priority=10), 1)
    plan = planned(node("a0", gpu=1), pod("old", on="a0", gpu=1), important, args=("--avoid", "node"))
    (left,) = plan["staysPending"]
    assert left["why"] == "The scheduler places it on a0 by preempting ml/old: no step does without."


def test_a_plan_is_for_text_json_and_yaml(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--plan-all", "-f", "-", "-o", "html"]) == 2
    assert "--plan-all can't write html" in capsys.readouterr().err
    assert run(["explain", "--plan-all", "-f", "-", "--watch"]) == 2
    assert "--plan-all can't be watched" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["mixed-cluster-40", "many-equal-replicas"])
def test_of_real_clusters(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ROOT / "tests" / "cases" / "reports" / name
    dump = str(next(path for path in folder.iterdir() if path.name.startswith("dump.")))
    run(["explain", "--plan-all", "-f", dump, "-o", "json"])
    plan = json.loads(capsys.readouterr().out)
    schema = json.loads((ROOT / "src" / "aliquot" / "advisor" / "plan.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(plan, schema)
    placed = [one["pod"] for one in plan["nodes"]]
    told = [key for step in plan["steps"] for key in step["places"]]
    assert sorted({*told, *plan["haveRoom"]} & set(placed)) == placed
    assert sorted([*placed, *(one["pod"] for one in plan["staysPending"])]) == plan["pods"]
    assert len(told) == len(set(told))
    assert len(told) >= len(plan["pods"]) * 3 // 4
