"""What `aliquot explain` says of pods that preempt, may not, or wait behind one that does."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod
from scenarios.drivers import Json

Ask = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(*objects: Json, args: tuple[str, ...] = ("-A",)) -> tuple[int, dict[str, Any]]:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        status = run(["explain", *args, "-f", str(dump), "-o", "json"])
        return status, {one["pod"]: one for one in json.loads(capsys.readouterr().out)["pods"]}

    return asked


def budget(name: str, app: str, allowed: int = 0) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": allowed},
    }


@pytest.mark.parametrize(
    ("budgets", "tail"),
    [
        pytest.param([budget("p", "old", 1)], "ml/old.", id="it allows one"),
        pytest.param(
            [budget("p", "old"), budget("q", "other")], "ml/old, and this violates PodDisruptionBudget ml/p.", id="one"
        ),
        pytest.param(
            [budget("p", "old"), budget("q", "old")],
            "ml/old, and this violates PodDisruptionBudgets ml/p, ml/q.",
            id="two",
        ),
    ],
)
def test_a_preemption_that_violates_a_budget_says_so(ask: Ask, budgets: list[Json], tail: str) -> None:
    status, found = ask(node("a0", gpu=1), pod("old", on="a0", gpu=1), *budgets, pod("p", gpu=1, priority=10))
    assert (status, found["ml/p"]["verdict"]) == (0, "placeable")
    assert found["ml/p"]["sentence"] == f"ml/p would be placed on a0 after preempting {tail}"


def test_a_higher_priority_that_would_violate_a_budget(ask: Ask) -> None:
    found = ask(node("a0", gpu=1), pod("old", on="a0", gpu=1), budget("p", "old"), pod("p", gpu=1))[1]["ml/p"]
    (way,) = [way for way in found["waysOut"] if way["kind"] == "raise-priority"]
    assert way["risk"]["text"] == "ml/old will be evicted, and this violates PodDisruptionBudget ml/p"


def raised(story: Any) -> Any:
    (way,) = [way for way in story["waysOut"] if way["kind"] == "raise-priority"]
    return way


def priority_class(name: str, value: int, **more: Any) -> Json:
    api = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return {**api, "metadata": {"name": name}, "value": value, **more}


FULL = (node("a0", gpu=1), pod("old", on="a0", gpu=1))
NEVER: Json = {"gpu": 1, "preemptionPolicy": "Never"}
KEPT = "Its preemptionPolicy Never keeps it from preempting ml/old, of lower priority."


def test_who_may_not_preempt_needs_leave_and_no_class(ask: Ask) -> None:
    found = ask(*FULL, pod("p", priority=10, **NEVER))[1]["ml/p"]
    assert found["sentence"].endswith(KEPT)
    way = raised(found)
    assert way["title"] == "Let it preempt (preemptionPolicy PreemptLowerPriority instead of Never): it preempts ml/old"
    assert [change["patch"] for change in way["changes"]] == [{"spec": {"preemptionPolicy": "PreemptLowerPriority"}}]
    assert way["after"] == {"node": "a0", "evicted": ["ml/old"], "stopped": [], "goFirst": []}


@pytest.mark.parametrize(
    ("others", "name"),
    [
        pytest.param([], "gpu-preempting", id="a new one of the same value"),
        pytest.param([priority_class("keen", 10)], "keen", id="one that is there"),
        pytest.param([priority_class("gpu-preempting", 3)], "gpu-preempting-1", id="the name is taken"),
    ],
)
def test_where_the_class_says_never_another_class_is_needed(ask: Ask, others: list[Json], name: str) -> None:
    batch = priority_class("batch", 10, preemptionPolicy="Never")
    found = ask(*FULL, batch, *others, pod("p", priority=10, priorityClassName="batch", **NEVER))[1]["ml/p"]
    assert found["sentence"].endswith(KEPT)
    way = raised(found)
    assert way["title"] == (
        f"Give it PriorityClass {name} (10) and with it preemptionPolicy PreemptLowerPriority instead of Never:"
        " it preempts ml/old"
    )
    assert way["changes"][-1]["patch"]["spec"] == {
        "priority": None,
        "preemptionPolicy": "PreemptLowerPriority",
        "priorityClassName": name,
    }


def test_of_a_template_the_policy_is_set_too(ask: Ask) -> None:
    batch = priority_class("batch", 10, preemptionPolicy="Never")
    waits = pod("p", priority=10, priorityClassName="batch", owner="Deployment/p", **NEVER)
    spec = raised(ask(*FULL, batch, waits)[1]["ml/p"])["changes"][-1]["patch"]["spec"]["template"]["spec"]
    assert spec == {"priorityClassName": "gpu-preempting", "preemptionPolicy": "PreemptLowerPriority"}


def test_leave_alone_is_no_help_to_who_has_no_more_priority(ask: Ask) -> None:
    found = ask(*FULL, pod("p", **NEVER))[1]["ml/p"]
    assert "Never" not in found["sentence"]
    assert raised(found)["title"] == (
        "Give it PriorityClass gpu-high (100000) and with it preemptionPolicy PreemptLowerPriority instead of Never:"
        " it preempts ml/old"
    )


EIGHT = (node("a0", gpu=8), pod("old", on="a0", gpu=6))
FORECAST = "Forecast: after ml/{} is placed (earlier in the queue{}), no room is left for it."


@pytest.mark.parametrize("args", [("-A",), ("pod/small",)])
def test_pods_behind_one_that_preempts_have_the_forecast(ask: Ask, args: tuple[str, ...]) -> None:
    status, found = ask(*EIGHT, pod("big", gpu=8, priority=1000), pod("small", gpu=2), args=args)
    small = found["ml/small"]
    assert (status, small["verdict"]) == (3, "placeable")
    assert small["forecast"] == FORECAST.format("big", "; it preempts ml/old")
    assert small["sentence"] == "ml/small has room now (on a0), but others go first."
    assert small["node"] == "a0"


def test_the_one_that_preempts_is_fine_itself(ask: Ask) -> None:
    status, found = ask(*EIGHT, pod("big", gpu=8, priority=1000), pod("small", gpu=2), args=("pod/big",))
    assert (status, found["ml/big"]["forecast"]) == (0, "")
    assert found["ml/big"]["sentence"] == "ml/big would be placed on a0 after preempting ml/old."


def test_why_it_must_preempt_is_told(ask: Ask) -> None:
    found = ask(*EIGHT, pod("big", gpu=8, priority=1000))[1]["ml/big"]
    assert found["note"] == "Only 2 of 8 nvidia.com/gpu are free on a0, and it asks for 8: held by ml/old."


def test_who_has_room_beside_it_has_no_forecast(ask: Ask) -> None:
    status, found = ask(*EIGHT, node("b0", gpu=2), pod("big", gpu=8, priority=1000), pod("small", gpu=2))
    assert (status, found["ml/small"]["forecast"]) == (0, "")


def test_two_that_would_preempt_the_same_pod(ask: Ask) -> None:
    status, found = ask(*FULL, pod("a", gpu=1, priority=9), pod("b", gpu=1, priority=8))
    assert status == 3
    assert [one["verdict"] for one in found.values()] == ["placeable", "placeable"]
    assert found["ml/b"]["forecast"] == FORECAST.format("a", "; it preempts ml/old")
    assert found["ml/b"]["sentence"] == "ml/b could be placed now on a0 after preempting ml/old; but others go first."


def test_several_before_it(ask: Ask) -> None:
    first = [pod(name, gpu=1, priority=9) for name in ("a", "b")]
    full = [node("a0", gpu=2), pod("old", on="a0", gpu=1), pod("older", on="a0", gpu=1)]
    found = ask(*full, *first, pod("c", gpu=1, priority=5))[1]["ml/c"]
    assert found["forecast"].startswith(
        "Forecast: after ml/a and ml/b are placed (earlier in the queue; they preempt ml/"
    )


def test_who_is_anothers_to_place_preempts_nobody(ask: Ask) -> None:
    other = pod("big", gpu=8, priority=1000, schedulerName="volcano")
    small = ask(*EIGHT, other, pod("small", gpu=2))[1]["ml/small"]
    assert small["forecast"] == ""


@pytest.mark.parametrize("args", [("-A",), ("pod/low",)])
def test_room_until_others_are_placed_is_no_success(ask: Ask, args: tuple[str, ...]) -> None:
    low, high = pod("low", gpu=1), pod("high", gpu=1, priority=100)
    status, found = ask(node("a0", gpu=1), low, high, args=args)
    assert (status, found["ml/low"]["verdict"]) == (3, "placeable")
    assert found["ml/low"]["sentence"] == "ml/low has room now (on a0), but others go first."
    assert found["ml/low"]["forecast"] == FORECAST.format("high", "")


def test_with_more_room_than_one_node_has(ask: Ask) -> None:
    nodes = [node("a0", gpu=1), node("b0", gpu=1)]
    status, found = ask(*nodes, *[pod(f"p{n}", gpu=1) for n in range(3)])
    assert status == 3
    assert found["ml/p2"]["sentence"] == "ml/p2 has room now (on 2 nodes), but others go first."
    assert ask(*nodes, *[pod(f"p{n}", gpu=1) for n in range(2)])[0] == 0
