"""The commands of ways out: how each is taken back, how a name is found that's left open, one patch an object."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod
from scenarios.drivers import Json
from scenarios.explained import ways
from tests.conftest import ROOT

CHANGING = re.compile(
    r"\bkubectl (patch|scale|delete|label|annotate|taint|cordon|uncordon|apply|create|replace|rollout)\b"
    r"|\b(eksctl scale|clusters resize|nodepool scale)\b"
)
OPEN = re.compile(r"(?<![\w.-])(CLUSTER|GROUP|CONFIG|NODE|NAME|NAMESPACE)(?![\w.-])")
DUMPS = [
    next(path for path in folder.iterdir() if path.name.startswith("dump."))
    for kind in ("reports", "dumps")
    for folder in sorted((ROOT / "tests" / "cases" / kind).iterdir())
    if folder.is_dir()
]


def changes_of(dump: Path, capsys: pytest.CaptureFixture[str]) -> list[Any]:
    run(["explain", "-A", "-f", str(dump), "-o", "json"])
    pods = json.loads(capsys.readouterr().out)["pods"]
    return [change for one in pods for way in one["waysOut"] for change in way["changes"]]


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.parent.name)
def test_what_changes_something_says_how_to_take_it_back(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for change in changes_of(dump, capsys):
        lines = [line for line in change["command"].splitlines() if not line.startswith("#")]
        typed = [line.partition("  # ")[0] for line in lines]
        if "--dry-run" in change["command"] or any(CHANGING.search(line) for line in typed):
            assert change["undo"], change["command"]
            assert change["undo"].startswith(("kubectl ", "# no", "eksctl ", "gcloud ", "az ")), change["undo"]
            if not change["undo"].startswith("#"):
                shlex.split(change["undo"].partition("  # ")[0])


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.parent.name)
def test_a_name_left_open_is_found_by_the_line_before(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for change in changes_of(dump, capsys):
        *before, last = change["command"].replace("\\\n", "").splitlines()
        for name in set(OPEN.findall(last.partition("  # ")[0])):
            assert any(name in line.partition("  # ")[2] for line in before), change["command"]


@pytest.fixture
def offered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    def ask(*objects: Json, args: tuple[str, ...] = ("-A",), output: str = "json") -> Any:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), encoding="utf-8")
        run(["explain", *args, "-f", str(dump), "-o", output])
        text = capsys.readouterr().out
        return json.loads(text)["pods"][0]["waysOut"] if output == "json" else text

    return ask


TAINTED = node("a0", gpu=1, taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
TYPO = {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40BG"}


def combined(found: Any) -> Any:
    return next(way for way in found if way["kind"] == "combined" and "olerat" in way["title"])


def test_two_edits_of_one_pod_are_one_patch(offered: Any) -> None:
    (change,) = combined(offered(TAINTED, pod("p", gpu=1, nodeSelector=TYPO)))["changes"]
    assert change["patch"] == {
        "spec": {
            "tolerations": [{"key": "team", "operator": "Equal", "value": "x", "effect": "NoSchedule"}],
            "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-40GB"},
        }
    }
    assert change["command"].count("replace --force") == 1
    assert change["undo"] == "kubectl replace --force -f pod-ml-p.before.yaml"
    assert change["command"].startswith("kubectl get pod p -n ml -o yaml > pod-ml-p.before.yaml\nkubectl patch pod p ")


def test_whatever_is_taken_back_from_a_copy_is_copied_by_the_line_before(offered: Any) -> None:
    objects = (TAINTED, pod("p", gpu=1, nodeSelector=TYPO, owner="ReplicaSet/r"))
    for text in (offered(*objects, args=("pod/p",), output=output) for output in ("text", "wide", "html")):
        kept, patched, back = (
            text.index(part)
            for part in (
                "kubectl get replicaset r -n ml -o yaml | grep -v",
                "kubectl patch replicaset r ",
                "kubectl replace -f replicaset-ml-r.before.yaml",
            )
        )
        assert kept < patched < back


def test_a_controller_that_keeps_its_pods_is_patched_once_and_the_pod_deleted_once(offered: Any) -> None:
    patched, deleted = combined(offered(TAINTED, pod("s-0", gpu=1, nodeSelector=TYPO, owner="StatefulSet/s")))[
        "changes"
    ]
    assert set(patched["patch"]["spec"]["template"]["spec"]) == {"tolerations", "nodeSelector"}
    assert patched["undo"] == "kubectl rollout undo statefulset s -n ml"
    assert deleted["command"] == "kubectl delete pod s-0 -n ml"
    assert deleted["undo"].startswith("# nothing to undo")


def test_a_bare_pod_that_is_deleted_says_what_is_lost(offered: Any) -> None:
    objects = (node("a0", gpu=1), pod("old", on="a0", gpu=1), pod("p", gpu=1))
    freed = next(way for way in offered(*objects) if way["kind"] == "free-device")
    assert freed["changes"][0]["undo"].startswith("# no undo: no controller makes it again, and what it did is lost")
    text = offered(*objects, args=("pod/p", "--ways", "9"), output="text")
    assert "no undo: no controller makes it again, and what it did is lost" in text
    wide = offered(*objects, args=("pod/p",), output="wide")
    assert "keep its manifest before: kubectl get pod old -n ml -o yaml > pod-ml-old.before.yaml" in wide


def test_undo_of_a_scaled_workload_in_text_wide_and_html(offered: Any) -> None:
    objects = (node("a0", gpu=1), pod("old", on="a0", gpu=1, owner="Deployment/old"), pod("p", gpu=1))
    back = "kubectl scale deployment old -n ml --replicas=REPLICAS"
    for output in ("text", "wide", "html"):
        assert back in offered(*objects, args=("pod/p", "--ways", "9"), output=output)


def test_the_plugins_configuration_is_found_and_short() -> None:
    share = ways(node("n1", gpu=1), pod("a", on="n1", gpu=1), pod("p", gpu=1))["share", "node/n1"]
    lines = share.changes[0].command.splitlines()
    assumed, find, otherwise, add, patch = lines
    assert assumed.startswith("# where Helm or the GPU Operator installed the device plugin")
    assert find.endswith("  # NAMESPACE/...: CONFIG")
    assert "devicePlugin.config.name (GPU Operator)" in otherwise
    assert add == "kubectl patch configmap CONFIG -n NAMESPACE --type=merge -p \\"
    config = json.loads(shlex.split(patch)[0])["data"]["time-slicing-2"]
    assert yaml.safe_load(config)["sharing"]["timeSlicing"]["resources"] == [{"name": "nvidia.com/gpu", "replicas": 2}]
    assert max(map(len, lines)) < 170
    assert "time-slicing-2" in share.changes[0].undo
    assert share.changes[1].undo == "kubectl label node n1 --overwrite nvidia.com/device-plugin.config-"
