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


def test_without_any_node_the_line_that_takes_them_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Nodes that are missing from the input aren't missing from the cluster: nothing is said about the pod."""
    assert run(["explain", "cuda-check", "-f", str(ARTICLES / "pod-one-gpu.yaml"), "-o", "json"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error: the input has no nodes" in err
    assert "kubectl get nodes -A -o yaml > nodes.yaml" in err


def test_a_claim_in_its_old_shape_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "node.yaml").write_text(NODE)
    both = ["-f", str(ARTICLES / "claim-v1beta1.yaml"), "-f", str(ARTICLES / "pod-one-gpu.yaml")]
    assert run(["explain", "cuda-check", *both, "-f", str(tmp_path / "node.yaml")]) == 0
    assert capsys.readouterr().err == ""
