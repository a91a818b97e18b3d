"""Whether errors can be excluded before any node is looked at; if so, there are none."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from aliquot.allocation.allocator_features import Features
from aliquot.allocation.exact.allocator import Exact
from aliquot.allocation.inputs import Supply
from aliquot.allocation.rules.cel_selectors import selectors_of
from aliquot.dra.claim import Claim, ClaimSpec, Constraint, DeviceClass, Request, SubRequest
from aliquot.dra.device import Attribute, Capacity, CounterSet, CounterUse, Device, RequestPolicy, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.release import Kubernetes
from aliquot.units.quantity import Quantity

DRIVER = "drv.example.com"
SIZE = f"device.attributes['{DRIVER}'].size"
SIZED = (Device("a", {"size": Attribute("int", 1)}), Device("b", {f"{DRIVER}/size": Attribute("int", 1)}))
FEATURES = Features(partitionable_devices=True, consumable_capacity=True)
ONE = SubRequest("r", "gpu", (f"{SIZE} == 1",))
UNITS = {"units": Quantity.parse("1")}


def certain(recipe: SubRequest, devices: Sequence[Device] = SIZED, node: str | None = "n", **more: object) -> bool:
    one = Slice(Meta("s"), DRIVER, "p", node_name=node, all_nodes=None if node else True, devices=tuple(devices))
    one = replace(one, shared_counters=(CounterSet("set", UNITS),) if more.get("counters") else ())
    classes = {"gpu": DeviceClass(Meta("gpu"), (f"device.driver == '{DRIVER}'", None))}
    supply = Supply((one,), classes, features=FEATURES)
    constraints = (Constraint(match_attribute=f"{DRIVER}/size"),) if more.get("constraint") else ()
    claim = Claim(Meta("c", "default"), ClaimSpec((Request("r", recipe),), constraints))
    return Exact(supply, selectors_of(Kubernetes(36), FEATURES)).prepare((claim,)).never_fatal()


def test_a_plain_request_is_certain() -> None:
    assert certain(ONE)
    assert certain(replace(ONE, count=2))
    assert certain(replace(ONE, selectors=(f"device.capacity['{DRIVER}'].?memory.hasValue() || true",)))


@pytest.mark.parametrize(
    ("recipe", "devices"),
    [
        (ONE, (*SIZED, Device("c"))),
        (ONE, (*SIZED, Device("c", {"size": Attribute("int", 1), "v": Attribute("version", "not one")}))),
        (replace(ONE, selectors=("device.nonsense",)), SIZED),
        (replace(ONE, selectors=("device.attributes.exists(d, true)",)), SIZED),
        (replace(ONE, mode="All"), SIZED),
        (replace(ONE, class_name="missing"), SIZED),
        (replace(ONE, capacity={"memory": Quantity.parse("1Gi")}), SIZED),
        (ONE, (replace(SIZED[0], allow_multiple=True),)),
        (ONE, (replace(SIZED[0], capacity={"memory": Capacity(Quantity.parse("1Gi"), RequestPolicy())}),)),
    ],
)
def test_these_must_be_tried(recipe: SubRequest, devices: Sequence[Device]) -> None:
    assert not certain(recipe, devices)


def test_what_else_must_be_tried() -> None:
    assert not certain(ONE, node=None)
    assert not certain(ONE, constraint=True)


def test_one_device_that_draws_on_counters_takes_no_search_several_may() -> None:
    drawing = tuple(replace(device, consumes=(CounterUse("set", UNITS),)) for device in SIZED)
    assert certain(ONE, drawing, counters=True)
    assert not certain(replace(ONE, count=2), drawing, counters=True)
    assert not certain(replace(ONE, count=2), drawing)
