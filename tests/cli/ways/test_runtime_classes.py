"""A selector that a RuntimeClass adds to its pods: it's named, and isn't dropped, for admission would add it again."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

KATA = {"example.org/kata": "yes"}
CLASS = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "kata"},
    "handler": "kata",
    "scheduling": {"nodeSelector": KATA},
}


def test_the_selector_of_a_runtime_class(told: Callable[..., Any]) -> None:
    found = told(node("a", gpu=1), CLASS, pod("p", gpu=1, nodeSelector=KATA, runtimeClassName="kata"))
    assert found["sentence"].endswith("example.org/kata=yes is what RuntimeClass kata adds to its pods.")
    assert not {way["kind"] for way in found["waysOut"]} & {"drop-selector", "fix-selector"}
    (advice,) = found["advice"]
    assert advice["text"].startswith("Install the runtime of RuntimeClass kata on a and label it so")
    assert advice["command"] == "kubectl label node a example.org/kata=yes"


def test_a_selector_of_its_own_beside_it(told: Callable[..., Any]) -> None:
    both = {**KATA, "zone": "b"}
    found = told(node("a", gpu=1, labels=KATA), CLASS, pod("p", gpu=1, nodeSelector=both, runtimeClassName="kata"))
    assert "RuntimeClass" not in found["sentence"]
    assert [way["title"] for way in found["waysOut"]] == ["Drop zone=b"]
