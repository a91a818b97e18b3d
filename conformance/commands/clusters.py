"""The clusters whose remedies are looked at: every dump of the cases, and generated ones."""

import contextlib
import gzip
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from aliquot.cli.entry import run
from scenarios import mixed, ordinary
from scenarios.drivers import Json
from scenarios.tight import turns

ROOT: Final = Path(__file__).parent.parent.parent
FOLDERS: Final = ("tests/cases/reports", "tests/cases/dumps", "../shared/cases/reports", "../shared/cases/dumps")


def given() -> Iterator[tuple[str, list[Json]]]:
    """The dumps of the cases, those beside the project too where they are, each once."""
    seen: set[bytes] = set()
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).glob("*/dump.*")):
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            if data not in seen:
                seen.add(data)
                yield f"{folder}/{path.parent.name}", _objects(data)


def dump(folder: Path) -> list[Json]:
    """The objects of a case."""
    (path,) = folder.glob("dump.*")
    data = path.read_bytes()
    return _objects(gzip.decompress(data) if path.suffix == ".gz" else data)


def _objects(data: bytes) -> list[Json]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    documents = [json.loads(data)] if data.startswith(b"{") else yaml.load_all(data, loader)
    return [one for document in documents if document for one in document.get("items", [document])]


def generated(count: int, seed: int) -> Iterator[tuple[str, list[Json]]]:
    """``count`` clusters: a quarter mixed ones, recorded random ones, then scenarios of claims, tight and ordinary."""
    for number in range(count // 4):
        yield f"mixed (seed {seed + number})", list(mixed.cluster(seed + number).objects)
    left = count - count // 4
    with gzip.open(ROOT / "tests/cases/random-clusters.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in rows:
            if left <= count // 2:
                break
            left -= 1
            cluster = json.loads(row)
            yield f"random-clusters {cluster['name']}", [*cluster["objects"], *_pods(cluster["steps"])]
    for number in range(left):
        make = turns.scenario if number % 4 == 0 else ordinary.scenario
        scenario = make(seed, number, None)
        yield f"scenario {scenario['name']} (seed {seed})", _cluster(scenario)


def _pods(steps: list[Json]) -> list[Json]:
    """The pods of a recorded cluster as its last step left them."""
    gone = {victim for step in steps for victim in step.get("victims") or ()}
    found: list[Json] = []
    for step in steps:
        pod = step["pod"]
        key = f"{pod['metadata'].get('namespace', 'default')}/{pod['metadata']['name']}"
        if step["verdict"] == "rejected" or key in gone:
            continue
        placed = {"nodeName": step["node"]} if step["verdict"] == "scheduled" else {}
        status = {"phase": "Running" if placed else "Pending"}
        found.append({"apiVersion": "v1", "kind": "Pod", **pod, "spec": {**pod["spec"], **placed}, "status": status})
    return found


def _cluster(scenario: Json) -> list[Json]:
    """A scenario of the allocator as a cluster with a pod that asks for its claims."""
    found: list[Json] = []

    def add(kind: str, version: str, objects: Any) -> None:
        found.extend({"apiVersion": version, "kind": kind, **one} for one in objects or ())

    room = {"status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110"}}}
    add("Node", "v1", [{**one, **room, "spec": one.get("spec", {})} for one in scenario["nodes"]])
    add("ResourceSlice", "resource.k8s.io/v1", scenario.get("slices"))
    add("DeviceClass", "resource.k8s.io/v1", scenario.get("classes"))
    add("ResourceClaim", "resource.k8s.io/v1", scenario.get("claims"))
    claims = [one["metadata"]["name"] for one in scenario.get("claims") or ()]
    namespace = next((one["metadata"].get("namespace") for one in scenario.get("claims") or ()), None) or "default"
    for one in found:
        if one["kind"] == "ResourceClaim":
            one["metadata"] = {"namespace": namespace, **one["metadata"]}
    pod = {
        "metadata": {"name": "asks", "namespace": namespace},
        "spec": {
            "containers": [{"name": "main", "image": "registry.example/app"}],
            "resourceClaims": [{"name": f"c{at}", "resourceClaimName": name} for at, name in enumerate(claims)],
        },
        "status": {"phase": "Pending"},
    }
    add("Pod", "v1", [pod])
    return found


def explained(objects: list[Json]) -> Json:
    """What ``aliquot explain -A -o json`` says of a cluster."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "dump.json"
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}, default=str), "utf-8")
        out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            run(["explain", "-A", "-o", "json", "-f", str(path)])
            out.flush()
    said = out.buffer.getvalue()
    if not said.strip():
        return {"pods": [], "unusable": errors.getvalue()}
    document: Json = json.loads(said)
    return document
