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
