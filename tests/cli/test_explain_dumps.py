"""`aliquot explain` on dumps of real clusters, held against what the real scheduler said and which remedies worked."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

OWN = Path(__file__).parent.parent / "cases" / "dumps"
SHARED = Path(__file__).parent.parent.parent.parent / "shared" / "cases" / "dumps"
# The shared folder may hold more of the kind than was copied.
DUMPS = {path.name: path for base in (SHARED, OWN) if base.exists() for path in sorted(base.glob("*-*"))}


def explained(dump: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, Any]]:
    status = run(["explain", "--all-pending", "-f", str(dump / "dump.yaml"), "-o", "json"])
    return status, json.loads(capsys.readouterr().out)


def patches_of(way: dict[str, Any]) -> list[Any]:
    return [change["patch"] for change in way["changes"]]


@pytest.mark.parametrize("name", sorted(DUMPS))
def test_verdict_and_message_to_the_letter(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    truth = json.loads((DUMPS[name] / "truth.json").read_text())
    status, answer = explained(DUMPS[name], capsys)
    pending = {key: pod for key, pod in truth["pods"].items() if not pod["scheduled"]}
    assert {pod["pod"]: pod["schedulerMessage"] for pod in answer["pods"]} == {
        key: pod["schedulerMessage"] for key, pod in pending.items()
    }
    assert {pod["reason"] for pod in answer["pods"]} == {pod["reason"] for pod in pending.values()}
    assert {pod["verdict"] for pod in answer["pods"]} == {"pending"}
    assert status == 3
    assert answer["kubernetes"] == "1.36"


@pytest.mark.parametrize("name", sorted(DUMPS))
def test_running_pods_are_told_as_running(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    truth = json.loads((DUMPS[name] / "truth.json").read_text())
    for key, pod in truth["pods"].items():
        if not pod["scheduled"]:
            continue
        namespace, _, pod_name = key.partition("/")
        arguments = ["explain", f"pod/{pod_name}", "-n", namespace, "-f", str(DUMPS[name] / "dump.yaml"), "-o", "json"]
        assert run(arguments) == 0
        story = json.loads(capsys.readouterr().out)["pods"][0]
        assert (story["verdict"], story["node"]) == ("running", pod["node"])


@pytest.mark.parametrize("name", sorted(DUMPS))
def test_every_required_remedy_is_offered(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    truth = json.loads((DUMPS[name] / "truth.json").read_text())
    _, answer = explained(DUMPS[name], capsys)
    offered = {(way["kind"], way["object"]) for pod in answer["pods"] for way in pod["waysOut"]}
    required = {(one["kind"], one["object"]) for one in truth["remedyKinds"] if one["required"]}
    assert required <= offered


@pytest.mark.parametrize("name", sorted(DUMPS))
def test_nothing_is_offered_that_was_seen_not_to_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    truth = json.loads((DUMPS[name] / "truth.json").read_text())
    _, answer = explained(DUMPS[name], capsys)
    for useless in truth["notRemedyDetails"]:
        if len(useless["change"]) > 1:
            continue
        about = re.match(r"([a-z0-9-]+): ", useless["text"])  # of a dump with several pending pods
        pods = [pod for pod in answer["pods"] if about is None or f"/{about[1]}-" in pod["pod"]]
        assert pods
        offered = [way["changes"][0] for pod in pods for way in pod["waysOut"] if len(way["changes"]) == 1]
        command = useless["change"][0]
        patch = re.search(r" -p '(.*)'$", command, re.DOTALL)
        if patch is not None:
            assert json.loads(patch[1]) not in [change["patch"] for change in offered], useless["text"]
        assert command not in [change["command"] for change in offered], useless["text"]


def test_useless_kinds_are_not_offered(capsys: pytest.CaptureFixture[str]) -> None:
    """What the tables of useless remedies say in words, checked by kind."""
    _, cordoned = explained(DUMPS["counted-cordoned-gpu-node"], capsys)
    kinds = {way["kind"] for way in cordoned["pods"][0]["waysOut"]}
    assert not kinds & {"raise-priority", "change-request", "remove-taint"}
    _, mig = explained(DUMPS["counted-mig-resource-not-advertised"], capsys)
    ways = mig["pods"][0]["waysOut"]
    assert "free-device" not in {way["kind"] for way in ways}  # scaling llm-a to 0 doesn't make MIG instances
    added = [way["changes"][0]["patch"]["allocatable"] for way in ways if way["kind"] == "add-node"]
    assert added
    assert all(int(node["nvidia.com/mig-1g.5gb"]) > 0 for node in added)  # another node of whole A100s doesn't help
    asked = {json.dumps(patches_of(way)) for way in ways if way["kind"] == "change-request"}
    assert not any("mig-1g.10gb" in patch for patch in asked)
    _, selector = explained(DUMPS["counted-nodeselector-typo"], capsys)
    assert "add-node" not in {way["kind"] for way in selector["pods"][0]["waysOut"]}
    _, three = explained(DUMPS["counted-three-nodes-three-reasons"], capsys)
    nodes = [w["changes"][0]["patch"] for w in three["pods"][0]["waysOut"] if w["kind"] == "add-node"]
    assert all(node["labels"]["nvidia.com/gpu.product"] != "NVIDIA-L4" for node in nodes)


def test_a_taint_that_hides_a_taken_gpu_is_two_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = explained(DUMPS["counted-taint-hides-taken-gpu"], capsys)
    (node,) = answer["pods"][0]["nodes"]
    told = [(reason["filter"], reason["subject"], reason["missing"]) for reason in node["reasons"]]
    assert ("TaintToleration", "nvidia.com/gpu", "a toleration of nvidia.com/gpu=present:NoSchedule") in told
    assert ("NodeResourcesFit", "nvidia.com/gpu", "1") in told


def test_the_selector_slip_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = explained(DUMPS["counted-nodeselector-typo"], capsys)
    first = answer["pods"][0]["waysOut"][0]
    assert first["kind"] == "fix-selector"
    assert patches_of(first) == [
        {"spec": {"template": {"spec": {"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A100-SXM4-80GB"}}}}}
    ]
    assert first["risk"]["level"] == "low"


def test_sharing_is_never_called_isolated(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = explained(DUMPS["counted-gpu-taken"], capsys)
    shares = [way for way in answer["pods"][0]["waysOut"] if way["kind"] == "share"]
    assert {way["isolates"]["strategy"] for way in shares} == {"time-slicing", "mps"}
    for way in shares:
        assert way["isolates"]["faults"] == way["isolates"]["bandwidth"] == "none"
        assert way["isolates"]["memory"] != "hardware"
        assert "doesn't isolate" in way["isolates"]["text"]


def test_who_holds_the_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer = explained(DUMPS["counted-gpu-taken"], capsys)
    (held,) = answer["pods"][0]["holders"]
    assert (held["owner"], held["node"], held["amount"], held["of"]) == (
        "deployment serving-01/llm-a",
        "gpu-node-1",
        1,
        1,
    )
    assert held["since"].startswith("2026-11-30T")
