"""A volume in a zone without GPUs: its data is copied first of all; a node there only where a cloud makes them."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod
from scenarios.drivers import Json

Told = Callable[..., dict[str, Any]]
ZONE = "topology.kubernetes.io/zone"
CLOUD = {"eks.amazonaws.com/nodegroup": "gpu", "node.kubernetes.io/instance-type": "g4dn.12xlarge"}


def volume(claim: str, *, labelled: bool = False) -> list[Json]:
    """A claim bound to a volume of zone b, by its affinity or by its label, and their class."""
    expressions = [{"key": ZONE, "operator": "In", "values": ["b"]}]
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": expressions}]}}}
    modes = {"accessModes": ["ReadWriteOnce"], "storageClassName": "gp3"}
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim, "namespace": "ml"},
            "spec": {"volumeName": "pv1", **modes},
            "status": {"phase": "Bound"},
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": "pv1", **({"labels": {ZONE: "b"}} if labelled else {})},
            "spec": {
                "claimRef": {"name": claim, "namespace": "ml"},
                "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-1"},
                "capacity": {"storage": "100Gi"},
                **modes,
                **({} if labelled else affinity),
            },
            "status": {"phase": "Bound"},
        },
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": "gp3"},
            "provisioner": "ebs.csi.aws.com",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
    ]


def mounting(name: str, claim: str, **more: Any) -> Json:
    return pod(name, volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": claim}}], **more)


def nodes(**labels: str) -> list[Json]:
    return [node("g0", gpu=2, labels={ZONE: "a", **labels}), node("c0", labels={ZONE: "b"})]


@pytest.mark.parametrize("labelled", [False, True])
def test_the_data_is_copied_to_where_the_gpus_are(told: Told, labelled: bool) -> None:
    found = told(*nodes(), *volume("data", labelled=labelled), mounting("p", "data", gpu=1, owner="Deployment/web"))
    (way,) = found["waysOut"]  # on premises nobody can say that a node in zone b can be had
    assert (way["kind"], way["risk"]["level"]) == ("fix-volume", "low")
    assert way["title"] == "Copy the data of PersistentVolumeClaim data to a new claim in zone a"
    assert way["after"]["node"] == "g0"
    made, used = way["changes"]
    assert "its class provisions it where the pod goes" in made["command"]
    assert "data-copy" in used["command"]
    assert made["undo"] == "kubectl delete pvc data-copy -n ml"
    assert "undo: kubectl rollout undo deployment web -n ml && kubectl delete pvc data-copy -n ml" in found["text"]


def test_in_a_cloud_a_node_in_the_volumes_zone_comes_second(told: Told) -> None:
    found = told(*nodes(**CLOUD), *volume("data"), mounting("p", "data", gpu=1))
    assert [way["kind"] for way in found["waysOut"]] == ["fix-volume", "add-node"]
    way = found["waysOut"][1]
    assert way["title"] == "Add a node like g0, but in zone b: 2 nvidia.com/gpu"
    assert way["changes"][0]["command"] == "# add a node like g0, but in zone b (no group of it is in the input)"
    assert way["cost"]["usdPerHour"] == 3.912


def test_who_goes_on_writing_to_the_old_volume_is_named(told: Told) -> None:
    writer = mounting("writer", "data", on="c0")
    (way,) = told(*nodes(), *volume("data"), writer, mounting("p", "data", gpu=1))["waysOut"]
    assert way["risk"]["text"] == "ml/writer uses the old volume on: what is written there isn't in the copy"


def test_a_claim_of_a_stateful_set_is_made_anew_under_its_name(told: Told) -> None:
    waiting = mounting("db-0", "d-db-0", gpu=1, owner="StatefulSet/db")
    template: Json = {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": waiting["spec"]["containers"]}}
    owner = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "ml", "uid": "db"},
        "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "db"}}, "template": template},
    }
    (way,) = told(*nodes(), *volume("d-db-0"), owner, waiting, pod_name="db-0")["waysOut"]
    assert way["title"] == "Make PersistentVolumeClaim d-db-0 anew in zone a, with a copy of the data"
    kept, deleted, again = way["changes"]
    assert '"persistentVolumeReclaimPolicy": "Retain"' in kept["command"]
    assert deleted["command"].splitlines()[-1] == "kubectl delete pvc d-db-0 -n ml --wait=false"
    assert deleted["undo"].startswith("# no undo: its data stays in volume pv1")
    assert again["command"].startswith("kubectl delete pod db-0 -n ml  # ")
