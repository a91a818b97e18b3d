"""Several causes at once: whole sentences, and each reason names the nodes that it holds for."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Told = Callable[..., dict[str, Any]]
PRODUCT = "nvidia.com/gpu.product"
TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}


def test_each_reason_names_its_nodes(told: Told) -> None:
    nodes = [node(name, gpu=2, taints=[TAINT]) for name in ("a0", "a1")]
    holder = pod("holder", on="a0", gpu=2, tolerations=[{"operator": "Exists"}])
    found = told(*nodes, holder, pod("p", gpu=1, nodeSelector={PRODUCT: "NVIDIA-A100"}))
    assert found["sentence"].endswith(
        " With 1 nvidia.com/gpu there are a0 and a1. And that isn't all that speaks against them: a0 and a1 have taint"
        " nvidia.com/gpu=present:NoSchedule, which the pod doesn't tolerate; a0 has too little nvidia.com/gpu left."
    )


def test_a_cordon_is_told_once(told: Told) -> None:
    cordoned = node("a0", gpu=2)
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    cordoned["spec"] = {"unschedulable": True, "taints": [taint]}
    found = told(cordoned, pod("p", gpu=1, nodeSelector={"team": "x"}))
    assert found["sentence"].endswith("And that isn't all that speaks against it: a0 is cordoned.")


def test_each_taint_names_its_nodes(told: Told) -> None:
    team = {"key": "team", "value": "x", "effect": "NoSchedule"}
    both = told(node("a0", gpu=1, taints=[TAINT]), node("a1", gpu=1, taints=[TAINT, team]), pod("p", gpu=1))
    assert both["sentence"].startswith(
        "It doesn't tolerate nvidia.com/gpu=present:NoSchedule on a0 and a1, both with 1 nvidia.com/gpu that it may use"
        " otherwise; nor team=x:NoSchedule on a1. There's room on a0 and a1"
    )
    either = told(node("a0", gpu=1, taints=[TAINT]), node("a1", gpu=1, taints=[team]), pod("p", gpu=1))
    assert either["sentence"].startswith(
        "It doesn't tolerate nvidia.com/gpu=present:NoSchedule on a0 or team=x:NoSchedule on a1: every node with 1"
        " nvidia.com/gpu that it may use otherwise has such a taint."
    )
