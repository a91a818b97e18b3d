"""A claim that is allocated holds its devices, also where no pod uses it: that is told, and it can be deleted."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
DRIVER = "gpu.example.com"


def gpus(count: int) -> Json:
    devices = [{"name": f"gpu-{number}"} for number in range(count)]
    pool = {"name": "a0", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": "a0", "pool": pool, "devices": devices}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a0"}, "spec": spec}


def claim(name: str, count: int = 1, device: str = "", **status: Any) -> Json:
    if device:
        result = {"request": "g", "driver": DRIVER, "pool": "a0", "device": device}
        status = {"allocation": {"devices": {"results": [result]}}, **status}
    exactly = {"deviceClassName": "gpu", "count": count}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ml", "uid": f"of-{name}"},
        "spec": {"devices": {"requests": [{"name": "g", "exactly": exactly}]}},
        "status": status,
    }


def using(name: str, **fields: Any) -> Json:
    return pod(name, resourceClaims=[{"name": "g", "resourceClaimName": name}], **fields)


CLASS: Json = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}


def test_it_is_told_and_can_be_deleted(told: Told) -> None:
    found = told(node("a0"), CLASS, gpus(1), claim("old", device="gpu-0"), claim("p"), using("p"))
    assert found["sentence"] == (
        "No device is left for request g (1 such device on a0): gpu-0 on a0 is held by claim ml/old, which is"
        " allocated, but no pod in the input uses it."
    )
    first = found["waysOut"][0]
    assert (first["kind"], first["object"], first["risk"]["level"]) == ("free-device", "resourceclaim/old", "medium")
    kept, deleted = first["changes"][0]["command"].splitlines()
    assert kept == "kubectl get resourceclaim old -n ml -o yaml > resourceclaim-ml-old.before.yaml"
    assert deleted == "kubectl delete resourceclaim old -n ml"
    assert first["after"]["node"] == "a0"
    assert [way["kind"] for way in found["waysOut"]].index("add-node") > 0


def test_several_go_together_where_one_is_not_enough(told: Told) -> None:
    idle = [claim("old-0", device="gpu-0"), claim("old-1", device="gpu-1")]
    found = told(node("a0"), CLASS, gpus(2), *idle, claim("p", count=2), using("p"))
    assert "claims ml/old-0 and ml/old-1 are allocated, but no pod in the input uses them" in found["sentence"]
    (freed,) = [way for way in found["waysOut"] if way["kind"] == "free-device"]
    assert [change["command"].splitlines()[-1] for change in freed["changes"]] == [
        "kubectl delete resourceclaim old-0 -n ml",
        "kubectl delete resourceclaim old-1 -n ml",
    ]


def test_one_that_a_waiting_pod_names_is_no_such_claim(told: Told) -> None:
    items = (claim("q", device="gpu-0"), using("q"), claim("p"), using("p"))
    found = told(node("a0"), CLASS, gpus(1), *items)
    assert "no pod in the input uses" not in found["sentence"]
    assert "resourceclaim/q" not in [way["object"] for way in found["waysOut"]]
