"""A defect of kube-scheduler is told only where it's on the pod's path."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import pod

ALL = {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All", "count": None}
ISSUE = "kubernetes#138882"


def older(found: list[Any], *, counters: bool = True) -> list[Any]:
    """On 1.36.1; without counters: with whole GPUs only, which consume none."""
    for one in found:
        if one["kind"] == "Node":
            one["status"]["nodeInfo"]["kubeletVersion"] = "v1.36.1"
        if one["kind"] == "ResourceClaim":
            one["spec"]["devices"]["requests"][0]["exactly"].pop("count", None)
        if one["kind"] == "ResourceSlice" and not counters:
            one["spec"].pop("sharedCounters", None)
            for device in one["spec"].get("devices", ()):
                device.pop("consumesCounters", None)
    return found


def test_all_devices_of_which_one_consumes_counters(told: Callable[..., Any], hgx: Callable[..., list[Any]]) -> None:
    found = told(*older(hgx(asked=ALL)))
    assert found["sentence"].startswith("A known defect of kube-scheduler before 1.36.2 (it's taken to be 1.36.1): ")
    assert ISSUE in found["sentence"]
    assert "upgrade" in [way["kind"] for way in found["waysOut"]]


def test_all_devices_without_counters(told: Callable[..., Any], hgx: Callable[..., list[Any]]) -> None:
    found = told(*older(hgx(asked=ALL), counters=False))
    assert (found["verdict"], ISSUE in found["text"]) == ("placeable", False)


def test_devices_that_are_held_are_no_defect(told: Callable[..., Any], hgx: Callable[..., list[Any]]) -> None:
    cluster = older(hgx(held={"a": ["gpu-0"]}, asked=ALL), counters=False)
    found = told(*cluster, pod("other"))
    assert found["cause"]["kind"] == "all-with-one-taken"
    assert "upgrade" not in [way["kind"] for way in found["waysOut"]]
