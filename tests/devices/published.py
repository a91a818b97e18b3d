"""What `aliquot node slices` prints, taken apart: a kit for the tests of what a node publishes."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from aliquot.cli.entry import run

PARTITIONABLE = "DRAPartitionableDevices=true,DRADeviceTaints=true"
STANDING = """
name: standing
gpus:
  - {model: A100-40GB, minor: 4, mig: true, instances: [3g.20gb@0]}
"""


def call(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = run(["node", "slices", *words])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return status, out, err


def documents_of(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def slices(capsys: pytest.CaptureFixture[str], *words: str) -> list[Any]:
    """What's published without anything left out; a note may say what could be besides."""
    status, out, err = call(capsys, *words)
    assert (status, [line for line in err.splitlines() if not line.startswith("note: ")]) == (0, [])
    return documents_of(out)


def devices(documents: list[Any], driver: str = "gpu.nvidia.com") -> dict[str, Any]:
    return {
        device["name"]: device
        for one in documents
        if one["spec"]["driver"] == driver
        for device in one["spec"].get("devices", [])
    }


def simulated(folder: Path, text: str) -> str:
    path = folder / "host.yaml"
    path.write_text(text, encoding="ascii")
    return f"sim:{path}"


def by_pool(documents: list[Any]) -> list[list[Any]]:
    drivers = sorted({one["spec"]["driver"] for one in documents})
    return [[one for one in documents if one["spec"]["driver"] == driver] for driver in drivers]
