"""An init container that asks for more than what runs after it: it decides what the pod needs, and is told."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
GPU = "nvidia.com/gpu"


def init(name: str, **amounts: str) -> Json:
    asked = {GPU if key == "gpu" else key: value for key, value in amounts.items()}
    return {"name": name, "resources": {"requests": asked, "limits": {k: v for k, v in asked.items() if k == GPU}}}


def test_it_asks_for_more_than_any_node_has(told: Told) -> None:
    found = told(node("a0", gpu=2), pod("p", gpu=1, initContainers=[init("warm", gpu="4")]))
    assert found["sentence"] == (
        "It asks for 4 nvidia.com/gpu on one node, more than any node has: the most is 2, on a0. Its init container"
        " warm asks for 4, its app only 1."
    )
    (way,) = [one for one in found["waysOut"] if one["kind"] == "fewer-devices"]
    assert way["title"] == "Ask for 2 nvidia.com/gpu instead of 4 in init container warm"
    assert way["changes"][0]["patch"] == {
        "spec": {
            "initContainers": [{"name": "warm", "resources": {"requests": {GPU: "2"}, "limits": {GPU: "2"}}}],
        }
    }


def test_an_app_without_devices_and_devices_that_are_taken(told: Told) -> None:
    wanted = pod("p", requests={"cpu": 1}, initContainers=[init("a", gpu="1"), init("warm", gpu="2")])
    found = told(node("a0", gpu=2), pod("holder", on="a0", gpu=1), wanted)
    assert found["sentence"].endswith("held by ml/holder. Its init container warm asks for 2, its app for none.")
    (way,) = [one for one in found["waysOut"] if one["kind"] == "fewer-devices"]
    assert way["title"] == "Ask for 1 nvidia.com/gpu instead of 2 in init container warm"


def test_memory_of_an_init_container(told: Told) -> None:
    wanted = pod("p", gpu=1, requests={"memory": "1Gi"}, initContainers=[init("warm", memory="512Gi")])
    found = told(node("a0", gpu=2), wanted)
    (way,) = [one for one in found["waysOut"] if one["kind"] == "change-request"]
    assert way["title"] == "Ask for 256Gi memory instead of 512Gi in init container warm"


def test_an_app_that_asks_for_as_much_is_not_its_fault(told: Told) -> None:
    found = told(node("a0", gpu=2), pod("p", gpu=4, initContainers=[init("warm", gpu="4")]))
    assert "init container" not in found["text"]
