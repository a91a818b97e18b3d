"""Laws of `aliquot explain node/N`: amounts add up, holders are the bound pods that ask, each device is told once,

and the node is said to take only pods that `explain` calls placeable.
"""

import gzip
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from aliquot.cli.entry import run
from scenarios import ordinary
from scenarios.api import cluster
from tests.cluster import kubeconfigs

Json = dict[str, Any]
CASES = Path(__file__).parents[2] / "cases"
DUMPS = sorted([*CASES.glob("dumps/*/dump.yaml"), *CASES.glob("reports/*/dump.*")])
NODES = 12
"""Of a dump: all nodes of all but the largest ones."""
CLUSTERS = 80
EVERY = 8
SCENARIOS = 120
NO_PODS = "The input has no pods: who holds what, and who waits, is unknown."

pytestmark = pytest.mark.law


def told(capsys: pytest.CaptureFixture[str], node: str, path: Path) -> Any:
    assert run(["explain", f"node/{node}", "-f", str(path), "-o", "json", "--kubernetes", "1.36"]) == 0
    return json.loads(capsys.readouterr().out)


def named(objects: list[Json], kind: str) -> list[str]:
    return [one["metadata"]["name"] for one in objects if one["kind"] == kind]


def key(thing: Json) -> str:
    return f"{thing['metadata'].get('namespace', 'default')}/{thing['metadata']['name']}"


def bound(objects: list[Json]) -> list[Json]:
    """Pods that have a node and haven't ended."""
    pods = [one for one in objects if one["kind"] == "Pod" and one["spec"].get("nodeName")]
    return [one for one in pods if one.get("status", {}).get("phase") not in ("Succeeded", "Failed")]


def asks(pod: Json, resource: str) -> bool:
    containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
    amounts = [one.get("resources", {}).get(what, {}) for one in containers for what in ("limits", "requests")]
    return any(str(one.get(resource, "0")) != "0" for one in amounts)


def amounts_add_up_and_holders_are_the_bound_pods_that_ask(document: Any, objects: list[Json]) -> None:
    here = [one for one in bound(objects) if one["spec"]["nodeName"] == document["node"]]
    for one in document["resources"]:
        assert one["held"] + one["free"] == one["allocatable"]
        if "/" in one["resource"]:
            holders = [pod for held in one["holders"] for pod in held["pods"]]
            assert sorted(holders) == sorted(key(pod) for pod in here if asks(pod, one["resource"]))
            assert sum(held["amount"] for held in one["holders"]) == one["held"]


def holders_of_claims_have_a_node(document: Any, objects: list[Json]) -> None:
    holders = {pod for held in document["claimHolders"] for pod in held["pods"]}
    assert holders <= {key(pod) for pod in bound(objects)}


def devices_are_told_once_with_their_claims(document: Any, objects: list[Json]) -> int:
    """How many devices are told."""
    slices = [one["spec"] for one in objects if one["kind"] == "ResourceSlice"]
    newest: Counter[tuple[str, str]] = Counter()
    for one in slices:
        pool = (one["driver"], one["pool"]["name"])
        newest[pool] = max(newest[pool], one["pool"].get("generation", 0))
    owned: set[tuple[str, str, str]] = set()
    published: set[tuple[str, str, str]] = set()
    for one in slices:
        driver, pool = one["driver"], one["pool"]["name"]
        if one["pool"].get("generation", 0) == newest[driver, pool]:
            for device in one.get("devices") or ():
                name = (driver, pool, device["name"])
                published.add(name)
                if document["node"] in (one.get("nodeName"), device.get("nodeName")):
                    owned.add(name)
    holders: dict[tuple[str, str, str], set[str]] = {}
    for claim in (one for one in objects if one["kind"] == "ResourceClaim"):
        for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", ()):
            if not result.get("adminAccess"):
                holders.setdefault((result["driver"], result["pool"], result["device"]), set()).add(key(claim))
    seen = [
        ((one["driver"], one["pool"], device["name"]), device) for one in document["pools"] for device in one["devices"]
    ]
    names = [name for name, _ in seen]
    assert len(names) == len(set(names))
    assert set(names) <= published
    if not document["poolError"]:
        supplying = owned - {
            name for one in document["poolTroubles"] for name in owned if name[:2] == (one["driver"], one["pool"])
        }
        assert supplying <= set(names)
    for name, device in seen:
        assert device["claims"] == sorted(holders.get(name, ()))
    return len(seen)


def lawful(document: Any, objects: list[Json]) -> int:
    if "Pod" in {one["kind"] for one in objects}:
        assert NO_PODS not in document["unknown"]
        amounts_add_up_and_holders_are_the_bound_pods_that_ask(document, objects)
    else:
        assert NO_PODS in document["unknown"]
        assert {one["held"] for one in document["resources"]} <= {None}
        assert not any(one["holders"] for one in document["resources"])
    holders_of_claims_have_a_node(document, objects)
    return devices_are_told_once_with_their_claims(document, objects)


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.parent.name)
def test_nodes_of_dumps(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    objects = kubeconfigs.objects_of(path)
    run(["explain", "--all-pending", "-o", "json", "-f", str(path), "--kubernetes", "1.36"])
    verdicts = {one["pod"]: one["verdict"] for one in json.loads(capsys.readouterr().out)["pods"]}
    for node in named(objects, "Node")[:NODES]:
        document = told(capsys, node, path)
        lawful(document, objects)
        for one in document["waiting"]:
            roomy = not one["reasons"] and not one["gated"]
            assert one["fits"] == (roomy and verdicts[one["pods"][0]] == "placeable")
            assert bool(one["blocked"]) == (roomy and not one["fits"])


def test_nodes_of_random_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(CASES / "random-clusters.jsonl.gz", "rt", encoding="utf-8") as rows:
        every = [json.loads(row)["objects"] for row in rows]
    assert len(every) == CLUSTERS
    devices = 0
    for objects in every[::EVERY]:
        path = written(tmp_path, objects)
        devices += sum(lawful(told(capsys, node, path), objects) for node in named(objects, "Node"))
    assert devices > 0


def test_nodes_of_generated_scenarios(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Devices of all features, some of them allocated; claims and counted GPUs of pods that run, wait or ended."""
    devices = 0
    for number in range(SCENARIOS):
        objects = populated(number)
        path = written(tmp_path, objects)
        devices += sum(lawful(told(capsys, node, path), objects) for node in named(objects, "Node"))
    assert devices > SCENARIOS


def written(folder: Path, objects: list[Json]) -> Path:
    path = folder / "dump.json"
    path.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}), "utf-8")
    return path


def populated(number: int) -> list[Json]:
    """A scenario's devices on nodes with counted GPUs, and pods in all states."""
    dice = random.Random(number)
    made = ordinary.scenario(29, number)
    names = [one["metadata"]["name"] for one in made["nodes"]]
    nodes = [
        cluster.node(one["metadata"]["name"], gpu=dice.randint(0, 8), labels=one["metadata"]["labels"])
        for one in made["nodes"]
    ]
    pods = [
        cluster.pod(f"pod-{nth}", on=dice.choice(["", *names]), owner=f"Job/job-{nth % 3}", gpu=dice.randint(0, 3))
        for nth in range(dice.randint(1, 8))
    ]
    for pod in pods:
        if dice.random() < 0.2:
            pod["status"]["phase"] = dice.choice(("Succeeded", "Failed"))
    allocated = made.get("allocatedClaims", [])
    places = made.get("allocatedDevices", [])
    for nth, place in enumerate(places):
        status = {"allocation": {"devices": {"results": [{"request": "x", **place}]}}}
        allocated.append({"metadata": {"name": f"claim-{nth}", "namespace": "ml"}, "spec": {}, "status": status})
    for claim in allocated:
        claim["metadata"]["namespace"] = "ml"
        users = dice.sample(pods, dice.randint(0, min(2, len(pods))))
        claim["status"]["reservedFor"] = [
            {"resource": "pods", "name": user["metadata"]["name"], "uid": ""} for user in users
        ]
    version = "resource.k8s.io/v1"
    return [
        *nodes,
        *pods,
        *({"apiVersion": version, "kind": "ResourceSlice", **one} for one in made["slices"]),
        *({"apiVersion": version, "kind": "DeviceClass", **one} for one in made["classes"]),
        *({"apiVersion": version, "kind": "ResourceClaim", **one} for one in (*made["claims"], *allocated)),
    ]
