"""A way out is tried with the queue: who waits too and goes first takes the room, and a person is told so."""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod
from scenarios.drivers import Json


def since(one: Json, time: str) -> Json:
    one["metadata"]["creationTimestamp"] = f"2026-01-01T{time}Z"
    return one


def waiting(name: str, time: str, priority: int = 0, **more: Any) -> Json:
    return since(pod(name, owner=f"Deployment/{name}", priority=priority, **(more or {"gpu": 1})), time)


TAKEN = [node("a0", gpu=1), pod("old", on="a0", gpu=1, owner="Deployment/old")]


@pytest.fixture
def explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*objects: Json, args: tuple[str, ...] = ("-A",), output: str = "json") -> Any:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        run(["explain", *args, "-f", str(dump), "-o", output])
        text = capsys.readouterr().out
        return {one["pod"]: one for one in json.loads(text)["pods"]} if output == "json" else text

    return ask


def added(story: Any) -> Any:
    return next(way for way in story["waysOut"] if way["kind"] == "add-node")


def test_who_waits_longer_takes_the_new_node(explained: Any) -> None:
    found = explained(*TAKEN, waiting("second", "00:00:02"), waiting("first", "00:00:01"))
    assert added(found["ml/first"])["after"]["goFirst"] == []
    assert added(found["ml/second"])["after"]["goFirst"] == ["ml/first"]


def test_priority_counts_before_age(explained: Any) -> None:
    found = explained(*TAKEN, waiting("young", "09:00:00", 7, gpu=1), waiting("elder", "00:00:00"))
    # the younger one may preempt `old`; where a new node comes it takes that instead
    assert found["ml/young"]["verdict"] == "placeable"
    assert added(found["ml/elder"])["after"]["goFirst"] == ["ml/young"]


def test_it_says_so_and_offers_first_what_holds(explained: Any) -> None:
    objects = (*TAKEN, waiting("first", "00:00:01"), waiting("second", "00:00:02"))
    text = " ".join(explained(*objects, args=("pod/second",), output="text").split())
    assert "there's room on a0-new then, but ml/first goes first and takes it: it still waits" in text
    ways = explained(*objects, args=("pod/second",))["ml/second"]["waysOut"]
    taken = [bool(way["after"]["goFirst"]) for way in ways]
    assert taken == sorted(taken)
    assert "ml/first goes first" in explained(*objects, args=("pod/second",), output="wide")
    page = explained(*objects, args=("pod/second",), output="html")
    assert "ml/first waits too, goes first and takes it" in page


def test_one_pod_alone_and_all_pending_say_the_same(explained: Any) -> None:
    objects = (*TAKEN, waiting("first", "00:00:01"), waiting("second", "00:00:02"), waiting("third", "00:00:03"))
    every = explained(*objects)
    for key, story in every.items():
        alone = explained(*objects, args=(f"pod/{key.removeprefix('ml/')}",))[key]
        assert (alone["verdict"], alone["waysOut"]) == (story["verdict"], story["waysOut"])


def test_pods_of_one_owner_arent_before_each_other(explained: Any) -> None:
    same = [since(pod(f"w-{n}", gpu=1, owner="Deployment/w", labels={"app": "w"}), f"00:00:0{n}") for n in (1, 2)]
    found = explained(*TAKEN, *same)
    assert all(added(story)["after"]["goFirst"] == [] for story in found.values())


def test_who_can_go_elsewhere_takes_nothing(explained: Any) -> None:
    small = waiting("small", "00:00:01", requests={"nvidia.com/gpu.shared": 1})
    spare = node("b0", more={"nvidia.com/gpu.shared": 4})
    found = explained(*TAKEN, spare, small, waiting("large", "00:00:02"))
    assert all(way["after"]["goFirst"] == [] for way in found["ml/large"]["waysOut"])


def test_kinds_to_avoid_by_name_and_by_group(explained: Any) -> None:
    objects = (*TAKEN, waiting("first", "00:00:01"))

    def kinds(*args: str) -> set[str]:
        return {way["kind"] for way in explained(*objects, args=("pod/first", *args))["ml/first"]["waysOut"]}

    assert {"free-device", "raise-priority", "share", "add-node"} <= kinds()
    assert kinds("--avoid", "evict") == {"share", "add-node"}
    assert kinds("--avoid", "evict,share") == {"add-node"}
    assert kinds("--max-risk", "low") == {"add-node"}
    assert "add-node" not in kinds("--avoid", "node")


def test_an_unknown_kind_is_told_with_those_that_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "-A", "-f", "-", "--avoid", "evict,nodes"]) == 2
    error = capsys.readouterr().err
    assert "--avoid doesn't know nodes" in error
    assert "evict, node, less, sharing, taint, selector" in error
    assert "free-device" in error


def test_what_counts_first_can_be_chosen(explained: Any) -> None:
    labels = {"node.kubernetes.io/instance-type": "p5.48xlarge", "eks.amazonaws.com/nodegroup": "h100"}
    cordoned = node("b0", gpu=1)
    cordoned["spec"]["unschedulable"] = True
    objects = (node("a0", gpu=1, labels=labels), pod("old", on="a0", gpu=1), cordoned, waiting("p", "00:00:01"))

    def ordered(*args: str) -> list[Any]:
        found: list[Any] = explained(*objects, args=("pod/p", *args))["ml/p"]["waysOut"]
        return found

    levels = ["low", "medium", "high"]
    risks = [levels.index(way["risk"]["level"]) for way in ordered("--prefer", "risk")]
    assert risks == sorted(risks)
    costs = [way["cost"]["usdPerHour"] for way in ordered("--prefer", "cost")]
    costs = [float("inf") if cost is None else cost for cost in costs]  # unknown: after all that's known
    assert costs == sorted(costs)
    assert ordered("--prefer", "risk")[0]["kind"] != ordered("--prefer", "cost")[0]["kind"]
    titles = [way["title"] for way in ordered("--prefer", "cost")]
    page = explained(*objects, args=("pod/p", "--prefer", "cost"), output="html")
    places = [page.index(title.replace("'", "&#39;").replace('"', "&#34;")) for title in titles]
    assert places == sorted(places)
