"""From devices to a claim that gets one: published by a node, placed by `explain`, set up by `node setup`."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from aliquot.devices.hosts.simulated.presets import preset_names
from tests.devices.published import call, devices, documents_of

CLUSTER = """
apiVersion: v1
kind: Node
metadata: {{name: {node}}}
status:
  allocatable: {{cpu: "128", memory: 1Ti, pods: "110"}}
  conditions: [{{type: Ready, status: "True"}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: {kind}.nvidia.com}}
spec:
  selectors:
  - cel: {{expression: "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == '{kind}'"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: c, namespace: ml}}
spec:
  devices:
    requests:
    - name: r
      exactly:
        deviceClassName: {kind}.nvidia.com
        count: {count}
        selectors: [{{cel: {{expression: "{selector}"}}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: x, namespace: ml}}
spec:
  containers: [{{name: c, image: i, resources: {{claims: [{{name: g}}]}}}}]
  resourceClaims: [{{name: g, resourceClaimName: c}}]
status: {{phase: Pending}}
"""


def explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, slices: str, **claim: object
) -> dict[str, Any]:
    """As by a pipe from `node slices`."""
    (folder / "claims.yaml").write_text(CLUSTER.format(**claim), encoding="ascii")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(slices.encode())))
    words = ["pod/x", "-n", "ml", "-f", "-", "-f", str(folder / "claims.yaml"), "--kubernetes", "1.36"]
    run(["explain", *words, "-o", "json"])
    (answer,) = json.loads(capsys.readouterr().out)["pods"]
    found: dict[str, Any] = answer
    return found


def kinds(published: dict[str, Any]) -> dict[tuple[str, str], int]:
    """How many devices there are of each type and profile."""
    found: dict[tuple[str, str], int] = {}
    for device in published.values():
        told = device["attributes"]
        kind = (told["type"]["string"], told.get("profile", {}).get("string", ""))
        found[kind] = found.get(kind, 0) + 1
    return found


@pytest.mark.parametrize("preset", preset_names())
def test_a_claim_for_each_kind_of_device_is_placed_and_set_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, preset: str
) -> None:
    host = ("--host", f"preset:{preset}")
    status, out, err = call(capsys, *host, "--kubernetes", "1.36")
    assert status == 0
    published = devices(documents_of(out))
    assert published
    for kind, profile in kinds(published):
        selector = f"device.attributes['gpu.nvidia.com'].profile == '{profile}'" if profile else "true"
        claim = {"node": preset, "kind": kind, "count": 1, "selector": selector}
        answer = explained(capsys, monkeypatch, tmp_path, out, **claim)
        assert (answer["verdict"], answer["node"]) == ("placeable", preset), (kind, profile)
        (device,) = answer["devices"]
        name = device.rpartition("/")[2]
        assert published[name]["attributes"].get("profile", {"string": ""})["string"] == profile
        status, said = run(["node", "setup", name, *host]), capsys.readouterr().out
        assert status == 0 or _told(name, said, err), said


def _told(name: str, said: str, notes: str) -> bool:
    """Whether `node slices` told what keeps a device from being set up."""
    program = said.partition("must end first: ")[2].partition(" (end them")[0]
    gpu = name.partition("-mig-")[0]
    return any(line.startswith(f"note: {gpu}: ") and program in line for line in notes.splitlines() if program)


@pytest.mark.parametrize("preset", preset_names())
def test_every_published_device_can_be_set_up_or_slices_say_why_not(
    capsys: pytest.CaptureFixture[str], preset: str
) -> None:
    host = ("--host", f"preset:{preset}")
    _, out, err = call(capsys, *host, "--kubernetes", "1.36")
    for name in _distinct(list(devices(documents_of(out)))):
        status, said = run(["node", "setup", name, *host]), capsys.readouterr().out
        assert status == 0 or _told(name, said, err), said


def _distinct(names: list[str]) -> list[str]:
    """Of the eight equal GPUs of a node, the first and the last."""
    gpus = sorted({name.partition("-mig-")[0] for name in names})
    return [name for name in names if len(gpus) < 8 or name.partition("-mig-")[0] in {gpus[0], gpus[-1]}]


def test_as_many_whole_gpus_as_there_are_and_no_more(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    out = call(capsys, "--host", "preset:hgx-b200", "--kubernetes", "1.36")[1]
    claim: dict[str, object] = {"node": "hgx-b200", "kind": "gpu", "selector": "true"}
    answer = explained(capsys, monkeypatch, tmp_path, out, **claim, count=8)
    assert [each.rpartition("/")[2] for each in answer["devices"]] == [f"gpu-{number}" for number in range(8)]
    assert explained(capsys, monkeypatch, tmp_path, out, **claim, count=9)["verdict"] != "placeable"
