"""Counted GPUs that a DeviceClass serves by its extendedResourceName: who holds the devices, and how many there are."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import pod

HELD = {"a": [f"gpu-{n}" for n in range(8)]}


def counted(found: list[Any], gpus: int, name: str = "nvidia.com/gpu") -> list[Any]:
    """The cluster with a class that serves what pod p counts, in place of its claim."""
    for one in found:
        if one["kind"] == "DeviceClass" and one["metadata"]["name"] == "gpu.nvidia.com":
            one["spec"]["extendedResourceName"] = name
    kept = [one for one in found if one["metadata"]["name"] != "p"]
    return [*kept, pod("p", gpu=gpus)]


@pytest.mark.parametrize("gpus", [1, 2])
def test_who_holds_them(told: Callable[..., Any], hgx: Callable[..., list[Any]], gpus: int) -> None:
    found = told(*counted(hgx(held=HELD, asked={"deviceClassName": "gpu.nvidia.com"}), gpus))
    assert "has no extendedResourceName" not in found["text"]
    assert "8 devices on hgx-h100 are held by ml/a." in found["sentence"]
    assert found["sentence"].endswith("nvidia.com/gpu is served by DeviceClass gpu.nvidia.com.")
    assert "request" not in found["sentence"]
    assert found["cause"]["kind"] == "held"
    assert "pod/a" in [way["object"] for way in found["waysOut"]]


def test_more_than_any_node_has(told: Callable[..., Any], hgx: Callable[..., list[Any]]) -> None:
    found = told(*counted(hgx(asked={"deviceClassName": "gpu.nvidia.com"}), 9))
    assert found["sentence"].startswith("Of nvidia.com/gpu it wants 9 devices on one node, more than any node has: ")
    assert found["cause"]["kind"] == "larger-than-any"


def test_a_class_that_serves_another_name(told: Callable[..., Any], hgx: Callable[..., list[Any]]) -> None:
    found = told(*counted(hgx(asked={"deviceClassName": "gpu.nvidia.com"}), 1, "example.org/gpu"))
    assert "DeviceClass gpu.nvidia.com has no extendedResourceName nvidia.com/gpu" in found["sentence"]
