"""A claim's selector mended, changed or dropped: what gives less than was asked for is told as such."""

from collections.abc import Callable
from typing import Any

import pytest

from scenarios.api.cluster import node, pod

Json = dict[str, Any]
Told = Callable[..., Json]
DRA, DRIVER = "resource.k8s.io/v1", "gpu.nvidia.com"
SLIP, HIGH = "the original looks like a slip", "high"
MEMORY = f"device.capacity['{DRIVER}'].memory.compareTo(quantity('24Gi')) >= 0"


def world(expression: str, *devices: Json, count: int = 1) -> list[Json]:
    """One node with these devices, and pod p with a claim for one of them."""
    named = [{"name": f"gpu-{nth}", **one} for nth, one in enumerate(devices)]
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    exactly = {"deviceClassName": DRIVER, "count": count, "selectors": [{"cel": {"expression": expression}}]}
    return [
        node("n1"),
        thing("DeviceClass", DRIVER, {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]}),
        thing("ResourceSlice", "n1", {"driver": DRIVER, "nodeName": "n1", "pool": pool, "devices": named}),
        thing("ResourceClaim", "c", {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}),
        pod("p", resourceClaims=[{"name": "gpu", "resourceClaimName": "c"}]),
    ]


def thing(kind: str, name: str, spec: Json) -> Json:
    namespace = {"namespace": "ml"} if kind == "ResourceClaim" else {}
    return {"apiVersion": DRA, "kind": kind, "metadata": {"name": name, **namespace}, "spec": spec}


def device(memory: str = "23034Mi", **attributes: str) -> Json:
    found = {name: {"string": value} for name, value in attributes.items()}
    return {"capacity": {"memory": {"value": memory}}, "attributes": found}


def risks(found: Json) -> list[tuple[str, str]]:
    return [(way["kind"], way["risk"]["level"]) for way in found["waysOut"]]


@pytest.mark.parametrize(
    ("expression", "given"),
    [
        (MEMORY, device()),
        (f"device.attributes['{DRIVER}'].profile == '3g.40gb'", device(profile="1g.10gb")),
        (f"device.attributes['{DRIVER}'].productName == 'NVIDIA H200'", device(productName="NVIDIA H100 80GB HBM3")),
    ],
)
def test_less_by_name_comes_before_less_by_anything(told: Told, expression: str, given: Json) -> None:
    assert risks(told(*world(expression, given))) == [("change-request", HIGH), ("drop-selector", HIGH)]


def test_more_than_was_asked_for_is_another_kind_and_not_less(told: Told) -> None:
    expression = f"device.attributes['{DRIVER}'].productName == 'NVIDIA L4'"
    found = told(*world(expression, device(productName="NVIDIA H200")))
    assert risks(found) == [("fix-selector", "medium"), ("drop-selector", "medium")]


def test_an_attribute_read_in_another_domain(told: Told) -> None:
    expression = "device.attributes['nvidia.com'].productName == 'NVIDIA L4'"
    found = told(*world(expression, device(productName="NVIDIA L4")))
    assert found["sentence"].startswith(
        f"Selector #0 of claim ml/c reads productName in the domain nvidia.com, and devices have it in {DRIVER}: CEL's"
    )
    first = found["waysOut"][0]
    assert first["title"].endswith(f"productName is in the domain {DRIVER} (not nvidia.com)")
    assert first["risk"] == {"level": "low", "text": SLIP}
    assert f"device.attributes['{DRIVER}'].productName == 'NVIDIA L4'" in str(first["changes"][0]["patch"])


def test_the_drivers_name_put_otherwise(told: Told) -> None:
    found = told(*world("device.driver == 'nvidia.com/gpu'", device()))
    assert found["sentence"].endswith(f"device.driver == 'nvidia.com/gpu' ({DRIVER} is probably meant).")
    first = found["waysOut"][0]
    assert first["title"].endswith(f"the driver is {DRIVER} (not nvidia.com/gpu)")
    assert first["risk"]["text"] == SLIP


def test_another_vendors_driver_is_no_slip(told: Told) -> None:
    found = told(*world("device.driver == 'tpu.google.com'", device()))
    assert "probably meant" not in found["sentence"]
    assert [kind for kind, _ in risks(found)] == ["drop-selector"]
