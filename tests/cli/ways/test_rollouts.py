"""A rollout that waits for itself: one old pod goes before all of them."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

DEPLOYMENT: Any = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "api", "namespace": "ml"},
    "spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}},
}


def rolling(olds: int) -> list[Any]:
    new = pod("p", gpu=1, owner="Deployment/api")
    new["metadata"]["labels"]["pod-template-hash"] = "new"
    new["metadata"]["ownerReferences"][0]["name"] = "api-new"
    old = [pod(f"old-{n}", on="a", gpu=1, owner="Deployment/api") for n in range(olds)]
    return [node("a", gpu=olds), {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": olds}}, *old, new]


@pytest.mark.parametrize(
    ("olds", "words", "rest"),
    [(2, "ml/old-0 and ml/old-1 hold", "the other one runs on"), (4, "and 2 more hold", "the other 3 run on")],
)
def test_one_old_pod_before_all(told: Callable[..., Any], olds: int, words: str, rest: str) -> None:
    found = told(*rolling(olds))
    assert "its predecessors ml/old-0" in found["sentence"]
    assert words in found["sentence"]
    safe, at_once = (way for way in found["waysOut"] if way["kind"] == "fix-rollout")
    assert found["waysOut"][0] == safe
    assert "maxSurge 0 and maxUnavailable 1" in safe["title"]
    assert safe["risk"]["level"] == "low"
    assert safe["risk"]["text"].endswith(rest)
    assert (at_once["risk"]["level"], len(at_once["after"]["stopped"])) == ("high", olds)
    assert f"all {olds} old pods end at once" in at_once["risk"]["text"]


def test_a_single_old_pod(told: Callable[..., Any]) -> None:
    found = told(*rolling(1))
    assert "its predecessor ml/old-0 holds" in found["sentence"]
    both = [way["risk"]["level"] for way in found["waysOut"] if way["kind"] == "fix-rollout"]
    assert both == ["medium", "medium"]
