"""The manifests that most tutorials show, as input by themselves."""

import json
from pathlib import Path

import pytest

from aliquot.cli.entry import run

ARTICLES = Path(__file__).parent.parent.parent / "examples" / "articles"
NODE = """
apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {nvidia.com/gpu.product: Tesla-T4}}
spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "1"}, nodeInfo: {kubeletVersion: v1.36.2}}
"""


def test_a_pod_of_one_gpu_is_placed_where_there_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "node.yaml").write_text(NODE)
    arguments = ["explain", "cuda-check", "-f", str(ARTICLES / "pod-one-gpu.yaml"), "-o", "json"]
    assert run([*arguments, "-f", str(tmp_path / "node.yaml")]) == 0
    (pod,) = json.loads(capsys.readouterr().out)["pods"]
    assert (pod["pod"], pod["verdict"], pod["node"]) == ("default/cuda-check", "placeable", "gpu-1")


def test_without_any_node_it_is_pending_and_an_instance_is_offered(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "cuda-check", "-f", str(ARTICLES / "pod-one-gpu.yaml"), "-o", "json"]) == 3
    (pod,) = json.loads(capsys.readouterr().out)["pods"]
    assert pod["schedulerMessage"].startswith("no nodes available to schedule pods")
    (way,) = pod["waysOut"]
    assert way["kind"] == "add-node"
    assert way["cost"]["usdPerHour"] > 0
    assert "list price of 2026" in way["cost"]["text"]


def test_a_claim_in_its_old_shape_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["-f", str(ARTICLES / "claim-v1beta1.yaml"), "-f", str(ARTICLES / "pod-one-gpu.yaml")]
    assert run(["explain", "cuda-check", *both]) == 3
    assert capsys.readouterr().err == ""
