"""Data on the disk of a node: of one that isn't in the input, and of one that is."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

HOST = "kubernetes.io/hostname"
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data", "namespace": "ml", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
    "spec": {"volumeName": "disk", "storageClassName": "local", "accessModes": ["ReadWriteOnce"]},
    "status": {"phase": "Bound"},
}
WAITS = pod("p", gpu=1, volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])


def volume(host: str) -> Any:
    terms = [{"matchExpressions": [{"key": HOST, "operator": "In", "values": [host]}]}]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "claimRef": {"namespace": "ml", "name": "data"},
            "local": {"path": "/mnt"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        },
        "status": {"phase": "Bound"},
    }


def test_of_a_node_that_isnt_there(told: Callable[..., Any]) -> None:
    found = told(node("a", gpu=1), CLAIM, volume("gone"), WAITS)
    assert found["sentence"].endswith("but its volume disk is on the disk of node gone, which isn't in the input.")
    assert "fix-volume" not in {way["kind"] for way in found["waysOut"]}
    (advice,) = found["advice"]
    assert advice["text"].startswith("Bring node gone back, which has volume disk on its disk; or restore the data")


def test_of_a_node_that_is_there(told: Callable[..., Any]) -> None:
    found = told(node("a", gpu=1), node("old"), CLAIM, volume("old"), WAITS)
    assert "isn't in the input" not in found["sentence"]
    copied = next(way for way in found["waysOut"] if way["kind"] == "fix-volume")
    assert "volumesnapshotclasses" not in copied["changes"][0]["command"]
    assert "a volume on a node's disk has no snapshots" in copied["changes"][0]["command"]
