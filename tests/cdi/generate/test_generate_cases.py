"""The NVIDIA generator's own answers (cases/cdi/nvctk_generate.json), by way of the conformance program."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from conformance.cdi import answer
from tests.cdi.cases import ORIGINALS

FILE = ORIGINALS / "nvctk_generate.json"
ROWS: list[dict[str, Any]] = json.loads(FILE.read_text()) if FILE.is_file() else []

# Rows in which NVIDIA's container toolkit 1.20 fails by a defect: where ours does better, and the test.
BETTER = {
    "missing-nodes": "c: test_generate.py::test_a_gpu_without_a_node_is_left_out",
    "coherent-flag": "its mock of NVML panics; there's no answer to compare with",
}


def normal(spec: dict[str, Any]) -> dict[str, Any]:
    """Without the defects that show in every row: (a) by-path links below the dev root, (b) no MPS folder."""
    blocks = [spec.get("containerEdits", {}), *(device["containerEdits"] for device in spec["devices"])]
    for edits in blocks:
        for hook in edits.get("hooks", ()):
            hook["args"] = [arg.replace("::/opt/nvroot/dev/dri/", "::/dev/dri/") for arg in hook["args"]]
        if "mounts" in edits:
            edits["mounts"] = [mount for mount in edits["mounts"] if mount["containerPath"] != "/tmp/nvidia-mps"]
    return spec


@pytest.mark.skipif(not FILE.is_file(), reason="../shared isn't there")
@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_the_same_spec(row: dict[str, Any]) -> None:
    said = answer({"file": FILE.name, "name": row["name"], "input": row["input"]})
    expected = [text for text in row["expect"].get("specs", ()) if text]
    if not expected:
        assert said["ok"] == (row["name"] in BETTER)
        return
    texts = said["result"]["specs"]
    assert [normal(yaml.safe_load(text)) for text in texts] == [normal(yaml.safe_load(text)) for text in expected]
    if row["input"]["mode"] not in {"nvml", "management"}:
        assert texts == expected


def test_rows_are_told_apart_from_each_other() -> None:
    assert not ROWS or set(BETTER) <= {row["name"] for row in ROWS}


def test_the_recorded_host_is_what_is_found(tmp_path: Path) -> None:
    """The recorded host serves where no root may make device nodes; with root, it's looked for."""
    import os

    from aliquot.cdi.generate.inventory_json import inventory_of
    from aliquot.cdi.host.discover import discover
    from conformance.cdi_generate import RECORDED
    from tests.cdi.host.driver_root import build_driver_root

    recorded = inventory_of(json.loads(RECORDED.read_text()))
    root = build_driver_root(tmp_path / "root", nodes=os.geteuid() == 0)
    found = discover(str(root))
    assert found.driver == recorded.driver
    assert found.dev_links == recorded.dev_links
    if os.geteuid() == 0:
        assert found.nodes == recorded.nodes
