"""`aliquot node slices`: shares, ways to print, and options that can't be used."""

import json
from pathlib import Path

import pytest

from scenarios.api.slice_limits import complaints
from tests.devices.published import STANDING, call, devices, documents_of, simulated, slices


def test_whole_gpus_that_several_claims_may_hold(capsys: pytest.CaptureFixture[str]) -> None:
    host = ("--host", "preset:hgx-h100", "--kubernetes", "1.36", "--consumable-shares")
    memory = {"min": "0", "max": "81559Mi", "step": "1Mi"}
    for words, least, default, shares in (
        (
            "4",
            "0",
            "0",
            {"value": "4", "requestPolicy": {"default": "1", "validRange": {"min": "1", "max": "4", "step": "1"}}},
        ),
        ("unlimited", "0", "0", None),
        ("memory", "1Mi", "81559Mi", None),
    ):
        found = slices(capsys, *host, words)
        assert complaints(found[:1], 36) == []
        gpu = devices(found)["gpu-0"]
        assert len(devices(found)) == 8  # a GPU that's shared isn't divided on demand
        assert gpu["allowMultipleAllocations"] is True
        policy = {"default": default, "validRange": {**memory, "min": least}}
        assert gpu["capacity"]["memory"] == {"value": "81559Mi", "requestPolicy": policy}
        assert gpu["capacity"].get("shares") == shares
    status, out, err = call(capsys, "--host", "preset:l4-node", "--kubernetes", "1.35", "--consumable-shares", "2")
    assert status == 1
    assert not any("allowMultipleAllocations" in device for device in devices(documents_of(out)).values())
    assert "sharing gpu-0, gpu-1, gpu-2, gpu-3 isn't published: the feature gate DRAConsumableCapacity is off" in err


def test_standing_mig_devices_that_several_claims_may_hold(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    host = simulated(tmp_path, STANDING)
    found = slices(capsys, "--host", host, "--kubernetes", "1.36", "--mig", "static", "--consumable-shares", "2")
    assert complaints(found, 36) == []
    (device,) = devices(found).values()
    assert device["allowMultipleAllocations"] is True
    assert device["capacity"]["memory"]["requestPolicy"]["validRange"]["max"] == "19968Mi"
    assert device["capacity"]["shares"]["value"] == "2"


def test_as_json_and_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    host = ("--host", "preset:hgx-h100", "--kubernetes", "1.36")
    listed = json.loads(call(capsys, *host, "-o", "json")[1])
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert listed["items"] == slices(capsys, *host)
    lines = call(capsys, *host, "-o", "text")[1].splitlines()
    assert lines[0] == "gpu.nvidia.com, pool hgx-h100, generation 1: 9 slices"
    assert lines[1].split("  ")[-1] == "8 counter sets"
    assert lines[2].endswith("gpu-0; 25 MIG places (gpu-0-mig-1g10gb-19-0 …)")
    assert lines[10].startswith("nic.aliquot.dev, pool hgx-h100, generation 1: 1 slice")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kubernetes", "1.33"), "--kubernetes: 1.33 isn't supported here"),
        (("--kubernetes", "1.99"), "--kubernetes: 1.99 isn't supported here"),
        (("--kubernetes", "newest"), "not a Kubernetes version: 'newest'"),
        (("--feature-gates", "DRAPartitionable=true"), "no feature gate 'DRAPartitionable' matters here"),
        (
            ("--feature-gates", "DRAPartitionableDevices=yes,Foo=true,,=x"),
            "neither true nor false; no feature gate 'Foo' matters here; '=x' names no feature gate",
        ),
        (("--host", "preset:none"), "there is no preset 'none'"),
        (("--node", "Node_1"), "--node: 'Node_1' is no name of a node"),
        (("--consumable-shares", "some"), "--consumable-shares: 'some' isn't known"),
        (("--consumable-shares", "0"), "--consumable-shares: '0' isn't known"),
        (("--nic-driver", "Nic!"), "--nic-driver: 'Nic!' is no name of a driver"),
    ],
)
def test_what_cannot_be_used(capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    host = () if "--host" in words else ("--host", "preset:l4-node")
    status, out, err = call(capsys, *host, *words)
    assert (status, out) == (2, "")
    assert said in err
