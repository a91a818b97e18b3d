"""What these tests share: what `aliquot explain` tells of a pod, the objects as `kubectl get -o json` prints them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios.api.cluster import node, pod

Json = dict[str, Any]
NODE, DRIVER = "hgx-h100", "gpu.nvidia.com"


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Json]:
    """The pod's part of the JSON document; under `text` and `wide` what a person reads, in one line."""

    def tell(*items: Json, pod_name: str = "p") -> Json:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
        run(["explain", f"pod/{pod_name}", "-f", str(dump), "-o", "json"])
        found: Json = json.loads(capsys.readouterr().out)["pods"][0]
        run(["explain", f"pod/{pod_name}", "-f", str(dump), "--ways", "20"])
        text = " ".join(capsys.readouterr().out.split())
        run(["explain", f"pod/{pod_name}", "-f", str(dump), "-o", "wide"])
        return {**found, "text": text, "wide": " ".join(capsys.readouterr().out.split())}

    return tell


@pytest.fixture
def hgx(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[Json]]:
    """A node of 8 H100 with the ResourceSlices that `node slices` writes of it, and pod p with a claim for devices."""

    def make(*options: str, held: dict[str, list[str]] | None = None, asked: Json) -> list[Json]:
        run(["node", "slices", "--host", "preset:hgx-h100", "-o", "json", *options])
        slices: list[Json] = json.loads(capsys.readouterr().out)["items"]
        found = [node(NODE), *slices, *map(device_class, ("gpu", "mig"))]
        for name, devices in (held or {}).items():
            results = [{"request": "r", "driver": DRIVER, "pool": NODE, "device": device} for device in devices]
            exactly = {"deviceClassName": DRIVER, "allocationMode": "ExactCount", "count": len(devices)}
            claim = claim_of(name, exactly)
            claim["status"] = {
                "allocation": {"devices": {"results": results}},
                "reservedFor": [{"resource": "pods", "name": name, "uid": name}],
            }
            found += [claim, user_of(name, on=NODE)]
        return [*found, claim_of("p", {"allocationMode": "ExactCount", "count": 1, **asked}), user_of("p")]

    return make


def device_class(kind: str) -> Json:
    """NVIDIA's for whole GPUs, or for MIG instances."""
    expression = f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == '{kind}'"
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": f"{kind}.nvidia.com"},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def claim_of(name: str, exactly: Json) -> Json:
    """A claim named as the pod that uses it."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ml", "uid": name},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}},
    }


def user_of(name: str, on: str = "") -> Json:
    """The pod of that name."""
    found = pod(name, on=on, resourceClaims=[{"name": "devices", "resourceClaimName": name}])
    found["metadata"]["uid"] = name
    return found
