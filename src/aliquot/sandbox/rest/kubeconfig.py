"""The file by which clients find a server."""

import os
from pathlib import Path
from typing import Any

import msgspec


def write_kubeconfig(path: Path, server: str, *, name: str = "sandbox", namespace: str = "default") -> Path:
    """Write a kubeconfig for a server whose address holds its secret; only its owner may read it."""
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": server}}],
        "users": [{"name": name, "user": {}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": namespace}}],
    }
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(config)))  # JSON is YAML
    return path
