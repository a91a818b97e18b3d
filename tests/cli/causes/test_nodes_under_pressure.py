"""Nodes that are ready and short of something, and nodes whose kubelet doesn't answer: told apart, and to be mended."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod


def short(*keys: str, name: str = "a") -> Any:
    taints = [{"key": f"node.kubernetes.io/{key}", "effect": "NoSchedule"} for key in keys]
    made = node(name, gpu=1, taints=taints)
    made["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    return made


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (("disk-pressure",), "short of disk"),
        (("memory-pressure",), "short of memory"),
        (("pid-pressure", "disk-pressure"), "short of disk and short of process IDs"),
    ],
)
def test_a_ready_node_that_is_short_of_something(told: Callable[..., Any], keys: tuple[str, ...], words: str) -> None:
    found = told(short(*keys), pod("p", gpu=1))
    assert found["sentence"].startswith(f"The only node with 1 nvidia.com/gpu is {words}, and takes no new pods")
    assert "not ready" not in found["sentence"]
    first = found["waysOut"][0]
    assert (first["kind"], first["object"], first["after"]["node"]) == ("repair", "node/a", "a")
    assert first["title"] == f"Repair a: it's {words}, and has what the pod asks for"


def test_a_node_with_room_is_called_short_beside_those_that_are_taken(told: Callable[..., Any]) -> None:
    found = told(short("disk-pressure"), node("b", gpu=1), pod("h", on="b", gpu=1), pod("p", gpu=1))
    assert "a has room but is short of disk." in found["sentence"]
    assert found["waysOut"][0]["kind"] == "repair"


def test_a_kubelet_that_does_not_answer(
    told: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = short("unreachable")
    gone["status"]["conditions"] = [
        {"type": "Ready", "status": "Unknown", "message": "Kubelet stopped posting node status."}
    ]
    assert "is not ready: a" in told(gone, pod("p", gpu=1))["sentence"]
    run(["explain", "node/a", "-f", str(tmp_path / "dump.json")])
    text = " ".join(capsys.readouterr().out.split())
    assert "not ready: its kubelet doesn't answer (Kubelet stopped posting node status)" in text
    assert "the input doesn't say" not in text
