"""What these tests share: a cluster and a manifest, and what `aliquot explain --would` says of them."""

import json
from pathlib import Path

import pytest
import yaml

from aliquot.cli.entry import run
from tests.kube.manifests import Ask, Json


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    def asked(cluster: list[Json], manifest: list[Json], *more: str) -> tuple[int, Json, str]:
        (tmp_path / "cluster.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster}))
        (tmp_path / "new.yaml").write_text(yaml.safe_dump_all(manifest))
        files = ["-f", str(tmp_path / "cluster.json"), "--would", str(tmp_path / "new.yaml")]
        status = run(["explain", *files, "-n", "ml", "-o", "json", *more])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else {}, err

    return asked
