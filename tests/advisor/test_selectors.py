"""Selectors corrected: slips, wider values, other operators."""

from typing import Any

import pytest

from scenarios.api.cluster import node, pod
from scenarios.explained import spec_patch, story, ways


def affinity(*expressions: dict[str, Any]) -> dict[str, Any]:
    terms = [{"matchExpressions": list(expressions)}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}


def expressions_of(way: Any) -> Any:
    required = spec_patch(way)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    return required and required["nodeSelectorTerms"][0]["matchExpressions"]


@pytest.mark.parametrize(
    ("asked", "mended"),
    [
        pytest.param(
            {"key": "tier", "operator": "NotIn", "values": ["prod", "test"]},
            [{"key": "tier", "operator": "NotIn", "values": ["test"]}],
            id="one value less is excluded",
        ),
        pytest.param({"key": "tier", "operator": "NotIn", "values": ["prod"]}, None, id="nothing is left to exclude"),
        pytest.param(
            {"key": "memory", "operator": "Gt", "values": ["80000"]},
            [{"key": "memory", "operator": "Gt", "values": ["40959"]}],
            id="a lower bound",
        ),
        pytest.param(
            {"key": "memory", "operator": "Lt", "values": ["100"]},
            [{"key": "memory", "operator": "Lt", "values": ["40961"]}],
            id="an upper bound",
        ),
        pytest.param(
            {"key": "teir", "operator": "Exists"}, [{"key": "tier", "operator": "Exists"}], id="a misspelt key"
        ),
        pytest.param(
            {"key": "teir", "operator": "In", "values": ["prod"]},
            [{"key": "tier", "operator": "In", "values": ["prod"]}],
            id="a misspelt key with its value",
        ),
        pytest.param(
            {"key": "tier", "operator": "In", "values": ["porduction", "prdo"]},
            [{"key": "tier", "operator": "In", "values": ["porduction", "prod"]}],
            id="a misspelt value among others",
        ),
    ],
)
def test_the_nearest_that_matches(asked: dict[str, Any], mended: Any) -> None:
    labels = {"tier": "prod", "memory": "40960"}
    found = ways(node("n1", labels=labels), pod("p", affinity=affinity(asked), owner="Deployment/d"))
    way = found.get(("fix-selector", "pod"))
    if mended is None:
        way = found["drop-selector", "pod"]
    assert way is not None
    assert expressions_of(way) == mended


def test_what_cant_be_corrected_is_dropped() -> None:
    asked = affinity({"key": "tier", "operator": "DoesNotExist"}, {"key": "zone", "operator": "In", "values": ["a"]})
    labels = {"tier": "prod", "zone": "a"}
    found = ways(node("n1", labels=labels), pod("p", affinity=asked, owner="Deployment/d"))
    assert ("fix-selector", "pod") not in found
    assert expressions_of(found["drop-selector", "pod"]) == [{"key": "zone", "operator": "In", "values": ["a"]}]


def test_a_node_selectors_misspelt_key_moves_to_the_right_one() -> None:
    waiting = pod("p", nodeSelector={"teir": "prod"}, owner="Deployment/d")
    way = ways(node("n1", labels={"tier": "prod"}), waiting)["fix-selector", "pod"]
    assert spec_patch(way) == {"nodeSelector": {"teir": None, "tier": "prod"}}
    assert way.risk.level == "low"


def test_of_alternative_terms_the_nearest_is_corrected_and_fields_are_kept() -> None:
    terms = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]},
        {"matchExpressions": [{"key": "a", "operator": "Exists"}, {"key": "b", "operator": "Exists"}]},
        {
            "matchExpressions": [
                {"key": "tier", "operator": "In", "values": ["x"]},
                {"key": "zone", "operator": "Exists"},
            ]
        },
    ]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    waiting = pod("p", affinity={"nodeAffinity": required}, owner="Deployment/d")
    way = ways(node("n1", labels={"tier": "prod", "zone": "z"}), waiting)["fix-selector", "pod"]
    after = spec_patch(way)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert after["nodeSelectorTerms"][2]["matchExpressions"][0]["values"] == ["x", "prod"]
    assert after["nodeSelectorTerms"][:2] == terms[:2]


def test_a_value_that_other_nodes_have_was_meant() -> None:
    other = node("n2", cpu=1, labels={"zone": "zone-a"})
    waiting = pod("p", nodeSelector={"zone": "zone-a"}, requests={"cpu": "2"}, owner="Deployment/d")
    way = ways(node("n1", labels={"zone": "zone-b"}), other, waiting)["fix-selector", "pod"]
    assert way.title.endswith("zone=zone-b instead of zone-a")
    assert way.risk.level == "medium"


def test_nodes_that_differ_only_in_what_they_have_are_told_together() -> None:
    found = story(*[node(f"n{i}", labels={"zone": f"z{i}"}) for i in range(5)], pod("p", nodeSelector={"zone": "x"}))
    (group,) = found.alike
    assert len(group.nodes) == 5
