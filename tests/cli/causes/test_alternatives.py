"""A request with alternatives (firstAvailable): each is told shortly, since one of them would be enough."""

from collections.abc import Callable
from typing import Any

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
DRA = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
BIG = f"device.capacity['{DRIVER}'].memory.compareTo(quantity('80Gi')) >= 0"


def thing(kind: str, name: str, spec: Json, **more: Any) -> Json:
    namespace = {} if kind in ("DeviceClass", "ResourceSlice") else {"namespace": "ml"}
    return {"apiVersion": DRA, "kind": kind, "metadata": {"name": name, **namespace}, "spec": spec, **more}


def gpus(on: str, *memory: str) -> Json:
    devices = [{"name": f"gpu-{n}", "capacity": {"memory": {"value": size}}} for n, size in enumerate(memory)]
    pool = {"name": on, "generation": 1, "resourceSliceCount": 1}
    return thing("ResourceSlice", on, {"driver": DRIVER, "nodeName": on, "pool": pool, "devices": devices})


def alternative(name: str, count: int = 1, *expressions: str) -> Json:
    selectors = [{"cel": {"expression": one}} for one in expressions]
    return {"name": name, "deviceClassName": "gpu", "count": count, "selectors": selectors}


def claim(*alternatives: Json) -> Json:
    return thing("ResourceClaim", "c", {"devices": {"requests": [{"name": "g", "firstAvailable": list(alternatives)}]}})


CLASS = thing("DeviceClass", "gpu", {})
POD = pod("p", resourceClaims=[{"name": "g", "resourceClaimName": "c"}])
TWO = (alternative("big", 1, BIG), alternative("two", 2))


def test_neither_fits(told: Told) -> None:
    found = told(node("a0"), CLASS, gpus("a0", "40Gi"), claim(*TWO), POD)
    assert found["sentence"] == (
        f"Neither alternative of request g fits: big: no device matches {BIG} (the most that any device has is 40Gi);"
        " two: asks for 2 devices, and there is 1 on a0."
    )
    assert found["cause"]["kind"] == "larger-than-any"


def test_none_of_three_fits_on_any_of_two_nodes(told: Told) -> None:
    slices = (gpus("a0", "40Gi"), gpus("a1", "40Gi", "40Gi"))
    asked = claim(*TWO[:1], alternative("four", 4), alternative("three", 3))
    found = told(node("a0"), node("a1"), CLASS, *slices, asked, POD)
    assert found["sentence"].startswith("None of the 3 alternatives of request g fits: big: no device matches")
    assert "; four: asks for 4 devices, and there are 2 on a1, the most of any node; three: " in found["sentence"]


def test_one_that_would_fit_is_held_and_the_other_asks_for_more(told: Told) -> None:
    result = {"request": "g", "driver": DRIVER, "pool": "a0", "device": "gpu-0"}
    consumer = {"resource": "pods", "name": "holder", "uid": "h"}
    status = {"allocation": {"devices": {"results": [result]}}, "reservedFor": [consumer]}
    exactly = {"requests": [{"name": "g", "exactly": {"deviceClassName": "gpu"}}]}
    held = thing("ResourceClaim", "held", {"devices": exactly}, status=status)
    holder = pod("holder", on="a0", resourceClaims=[{"name": "g", "resourceClaimName": "held"}])
    holder["metadata"]["uid"] = "h"
    found = told(node("a0"), CLASS, gpus("a0", "80Gi"), held, holder, claim(*TWO), POD)
    assert found["sentence"] == (
        "No device is left for request g/big (1 such device on a0): gpu-0 on a0 is held by ml/holder. The other"
        " alternative doesn't fit either (two: asks for 2 devices, and there is 1 on a0)."
    )
