"""Every DRA object of the shared cases, read and written back, is what it was."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.dra.claim import Claim, ClaimTemplate, DeviceClass
from aliquot.dra.device import Slice
from aliquot.dra.read import KINDS
from aliquot.kube.reading.memo import Memo
from aliquot.units.quantity import Quantity
from scenarios.written import written
from scenarios.written.values import without_absent

SHARED = Path(__file__).parents[3] / "shared"
CASES = SHARED / "cases"
_KINDS = {(kind.name, version): kind for kind in KINDS for version in kind.versions}

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="../shared is missing")

Json = dict[str, Any]


def scenario_objects(name: str) -> Iterator[tuple[str, Json]]:
    lists = {"slices": "ResourceSlice", "classes": "DeviceClass", "claims": "ResourceClaim"}
    for line in (CASES / "allocator" / name).read_text().splitlines():
        scenario = json.loads(line)
        for key, kind in {**lists, "allocatedClaims": "ResourceClaim"}.items():
            for thing in scenario.get(key) or ():
                yield kind, thing


def cluster_objects() -> Iterator[tuple[str, Json]]:
    with gzip.open(CASES / "random-clusters.jsonl.gz", "rt") as file:
        for line in file:
            cluster = json.loads(line)
            for thing in (*cluster["objects"], *cluster["final"]["items"]):
                if thing["apiVersion"] == "resource.k8s.io/v1":
                    yield thing["kind"], thing


def expected(thing: Json) -> Json:
    """The parts that are read, with the defaults that readers apply and quantities in their canonical form."""
    whole = {"spec": thing.get("spec", {}), "status": {}}
    status = thing.get("status", {})
    whole["status"] = {key: status.get(key) for key in ("allocation", "reservedFor")}
    cleaned: Json = without_absent(_defaulted(whole))
    cleaned.get("status", {}).get("allocation", {}).pop("allocationTimestamp", None)  # nothing decides by it
    return cleaned


_QUANTITY_MAPS = {"consumedCapacity", "requests"}


def _defaulted(value: Any, key: str = "") -> Any:
    if isinstance(value, list):
        return [_quantity(item) if key == "validValues" else _defaulted(item, key) for item in value]
    if not isinstance(value, dict):
        return value
    made = {name: _defaulted(item, name) for name, item in value.items()}
    if "deviceClassName" in made:
        made.setdefault("allocationMode", "ExactCount")
        made.setdefault("count", 1)
    if key == "tolerations":
        made.setdefault("operator", "Equal")
    if key in _QUANTITY_MAPS and all(isinstance(item, str) for item in value.values()):
        made = {name: _quantity(item) for name, item in value.items()}
    if key == "pool":
        made.setdefault("generation", 0)
    for name in ("default", "min", "max", "step") if key in {"requestPolicy", "validRange"} else ():
        if name in made:
            made[name] = _quantity(made[name])
    if set(value) <= {"value", "requestPolicy"} and isinstance(value.get("value"), str):
        made["value"] = _quantity(value["value"])
    for name in ("allowMultipleAllocations", "bindsToNode"):
        if made.get(name) is False:
            del made[name]
    return made


def _quantity(text: str) -> str:
    return Quantity.parse(text).canonical()


def read(kind: str, version: str, thing: Json) -> Any:
    noun, faults = _KINDS[kind, version].read(json.dumps(thing).encode(), Memo())
    assert faults == ()
    return noun


@pytest.mark.parametrize("name", ["reference.jsonl", "random.jsonl", "quirks.jsonl"])
def test_allocator_scenarios(name: str) -> None:
    number = 0
    for kind, thing in scenario_objects(name):
        noun = read(kind, "v1", thing)
        assert isinstance(noun, (Slice, DeviceClass, Claim))
        assert noun.meta.name == thing["metadata"]["name"]
        assert written(noun) == expected(thing)
        number += 1
    assert number > 300


def test_random_clusters() -> None:
    number = 0
    for kind, thing in cluster_objects():
        noun = read(kind, "v1", thing)
        assert isinstance(noun, (Slice, DeviceClass, Claim, ClaimTemplate))
        assert noun.meta.uid == thing["metadata"]["uid"]
        assert written(noun) == expected(thing)
        number += 1
    assert number > 1000
