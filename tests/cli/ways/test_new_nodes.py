"""One more node: of a larger size, bought where a cloud is shown, in a volume's zone, and told in GPUs."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod
from scenarios.drivers import Json

Told = Callable[..., dict[str, Any]]
T4 = {"nvidia.com/gpu.product": "Tesla-T4", "nvidia.com/gpu.memory": "15360"}
EKS = {"eks.amazonaws.com/nodegroup": "gpu", "node.kubernetes.io/instance-type": "g4dn.2xlarge"}


def added(found: Json) -> list[str]:
    return [way["title"] for way in found["waysOut"] if way["kind"] == "add-node"]


@pytest.mark.parametrize("gpu", [0, 1])
def test_on_premises_a_node_with_more_memory(told: Told, gpu: int) -> None:
    more: dict[str, Any] = {"gpu": 1} if gpu else {}
    small = [node(name, memory="30Gi", **more) for name in ("a0", "a1")]
    found = told(*small, pod("p", gpu=gpu, requests={"memory": "64Gi"}))
    assert found["waysOut"][0]["title"] == "Ask for 30Gi of memory instead of 64Gi (what a0 has left)"
    devices = ": 1 nvidia.com/gpu" if gpu else ""
    assert added(found) == [f"Add a node like a0, but with 120Gi of memory{devices}"]
    (change,) = found["waysOut"][1]["changes"]
    assert change["command"] == "# add a node like a0, but with 120Gi of memory (no group of it is in the input)"


@pytest.mark.parametrize("shown", ["label", "providerID"])
def test_in_a_cloud_the_cheapest_instance_with_as_much_memory(told: Told, shown: str) -> None:
    small = node("a0", gpu=1, memory="30Gi", cpu="8", labels=T4 | (EKS if shown == "label" else {}))
    if shown == "providerID":
        small["spec"]["providerID"] = "aws:///us-east-1a/i-0123456789abcdef0"
    found = told(small, pod("p", gpu=1, requests={"memory": "60Gi"}))
    assert added(found) == ["Add a gr6.4xlarge node (aws, L4, 23034 MiB): 1 nvidia.com/gpu"]
    way = next(way for way in found["waysOut"] if way["kind"] == "add-node")
    assert way["after"]["node"] == "new-node"


def test_the_group_of_the_smaller_nodes_isnt_scaled(told: Told) -> None:
    found = told(node("c0", memory="30Gi", labels=EKS), pod("p", requests={"memory": "64Gi"}))
    assert added(found) == ["Add a node like c0, but with 120Gi of memory"]
    assert not any("eksctl" in change["command"] for way in found["waysOut"] for change in way["changes"])


def test_no_node_beyond_what_is_sold(told: Told) -> None:
    assert added(told(node("a0"), pod("p", requests={"memory": "100Ti"}))) == []


@pytest.mark.parametrize(
    ("mig", "words"),
    [
        ("dynamic", "8 GPUs of gpu.nvidia.com, whole or in MIG instances, 8 devices of nic.aliquot.dev"),
        ("static", "8 GPUs of gpu.nvidia.com, 8 devices of nic.aliquot.dev"),
    ],
)
def test_published_devices_are_told_as_gpus(told: Told, hgx: Callable[..., list[Json]], mig: str, words: str) -> None:
    held = [f"gpu-{number}" for number in range(8)]
    found = told(*hgx("--mig", mig, held={"holder": held}, asked={"deviceClassName": "gpu.nvidia.com"}))
    assert added(found) == [f"Add a node like hgx-h100: {words}"]
