"""What these tests share: what `aliquot explain` tells of a pod, the objects as `kubectl get -o json` prints them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run

Json = dict[str, Any]


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Json]:
    """The pod's part of the JSON document; under `text` what a person reads, in one line."""

    def tell(*items: Json, pod_name: str = "p") -> Json:
        dump = tmp_path / "dump.json"
        dump.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
        run(["explain", f"pod/{pod_name}", "-f", str(dump), "-o", "json"])
        found: Json = json.loads(capsys.readouterr().out)["pods"][0]
        run(["explain", f"pod/{pod_name}", "-f", str(dump), "--ways", "20"])
        return {**found, "text": " ".join(capsys.readouterr().out.split())}

    return tell
