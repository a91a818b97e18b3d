"""Kubeconfig files for tests, and the objects of a dump as an API server would have them."""

import gzip
import json
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]


def objects_of(dump: Path) -> list[Json]:
    data = dump.read_bytes()
    text = gzip.decompress(data) if dump.suffix == ".gz" else data
    found: list[Json] = []
    for document in yaml.load_all(text, Loader=yaml.CSafeLoader):
        found += document.get("items", [document])
    return json.loads(json.dumps(found, default=str))  # type: ignore[no-any-return]


def write(
    path: Path, server: str, *, context: str = "test", cluster: Json | None = None, user: Json | None = None
) -> Path:
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": context,
                "clusters": [{"name": "c", "cluster": {"server": server, **(cluster or {})}}],
                "users": [{"name": "jane", "user": {"token": "right"} if user is None else user}],
                "contexts": [{"name": context, "context": {"cluster": "c", "user": "jane"}}],
            }
        )
    )
    return path
