"""A claim allocated where its pod can't go, and that nobody else uses: kube-scheduler takes the devices back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

Json = dict[str, Any]
CLASS = "gpu.nvidia.com"


def two_nodes(found: list[Json], *, second: bool = True) -> list[Json]:
    """The claim is allocated on the cordoned first node; the second has devices free, or none at all."""
    first = next(one for one in found if one["kind"] == "Node")
    first["spec"]["unschedulable"] = True
    other = json.loads(json.dumps([one for one in found if one["kind"] in ("Node", "ResourceSlice")]).replace(
        "hgx-h100", "hgx-2"
    ))  # fmt: skip
    other[0]["spec"]["unschedulable"] = False
    claim = next(one for one in found if one["kind"] == "ResourceClaim")
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["hgx-h100"]}]}]
    results = [{"request": "r", "driver": CLASS, "pool": "hgx-h100", "device": "gpu-0"}]
    claim["status"] = {"allocation": {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": terms}}}
    return [*found, *(other if second else other[:1])]


def test_the_next_attempt_finds_another_node(
    told: Callable[..., Json], hgx: Callable[..., list[Json]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(*two_nodes(hgx(asked={"deviceClassName": CLASS})))
    assert "and while it is the pod can only go there" in found["sentence"]
    assert found["sentence"].endswith(
        "kube-scheduler then takes the devices of claim ml/p back (deallocation of ResourceClaim completed), and the "
        "next attempt places it on hgx-2."
    )
    (way,) = found["waysOut"]
    assert (way["kind"], way["after"]["node"], way["changes"][0]["undo"]) == ("wait", "hgx-2", "")
    assert "uncordon" not in found["text"]
    run(["explain", "claim/p", "-f", str(tmp_path / "dump.json")])
    text = " ".join(capsys.readouterr().out.split())
    assert "or kube-scheduler takes them back for a pod that uses it and finds no room where they are" in text


def test_the_next_attempt_fails_too(told: Callable[..., Json], hgx: Callable[..., list[Json]]) -> None:
    found = told(*two_nodes(hgx(asked={"deviceClassName": CLASS}), second=False))
    assert "and the next attempt fails too. The only node with 1 device for request r is cordoned" in found["sentence"]
    assert {way["kind"] for way in found["waysOut"]} >= {"uncordon"}


def test_devices_that_another_pod_uses_stay(told: Callable[..., Json], hgx: Callable[..., list[Json]]) -> None:
    cluster = two_nodes(hgx(asked={"deviceClassName": CLASS}))
    claim = next(one for one in cluster if one["kind"] == "ResourceClaim")
    claim["status"]["reservedFor"] = [{"resource": "pods", "name": "other", "uid": "other"}]
    found = told(*cluster)
    assert "takes the devices" not in found["sentence"]
