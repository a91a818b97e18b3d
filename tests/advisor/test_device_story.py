"""Reasons against devices in words."""

import pytest

from aliquot.advisor.dra.device_story import grouped, pool_words, words
from aliquot.allocation.answer import (
    AttributeMissing,
    CapacityShort,
    CapacityUnknown,
    ConstraintBroken,
    CounterShort,
    DeviceReason,
    DeviceStory,
    FeatureOff,
    Held,
    NodeNotSelected,
    PoolStory,
    RequestStory,
    SelectorError,
    SelectorFalse,
    Tainted,
)
from aliquot.dra.device import DeviceId, DeviceTaint
from aliquot.units.quantity import Quantity

GIB = Quantity.parse("1Gi")
ROOT = "resource.kubernetes.io/pcieRoot"


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (SelectorFalse("request", 0, "a && b", "b"), "request wants b"),
        (
            SelectorError("class gpu", 1, "x", "runtime", "no such key: x"),
            "CEL error in class gpu, selector #1: no such",
        ),
        (Held("ml/c", ("p", "q")), "held by claim ml/c of p, q"),
        (Held(""), "allocated already"),
        (Tainted(DeviceTaint("k", "NoSchedule", "v")), "device taint k=v:NoSchedule, not tolerated by the claim"),
        (
            CounterShort("set", "memory", GIB, Quantity.parse("0"), (DeviceId("d", "p", "mig-1"),)),
            "memory of set: needs 1Gi, 0 left (used by mig-1)",
        ),
        (CounterShort("set", "memory", GIB, Quantity.parse("0")), "memory of set: needs 1Gi, 0 left"),
        (CapacityShort("memory", None, GIB, GIB), "capacity memory: needs 1Gi, 1Gi left"),
        (
            CapacityShort("memory", GIB, GIB, GIB, broken_policy=True),
            "capacity memory: 1Gi isn't an amount that it gives",
        ),
        (CapacityUnknown("shares"), "has no capacity shares"),
        (AttributeMissing("matchAttribute", ROOT), f"has no {ROOT}, which matchAttribute compares"),
        (ConstraintBroken("matchAttribute", ROOT, "a", ("b", "c")), "it has a, others could only have b, c"),
        (ConstraintBroken("matchAttribute", ROOT, "a", ()), "it has a, the other requests have no device left"),
        (NodeNotSelected(), "not reachable from this node"),
        (FeatureOff("DRAPartitionableDevices"), "needs the feature DRAPartitionableDevices, which is off"),
    ],
)
def test_words(reason: DeviceReason, text: str) -> None:
    assert text in words(reason)


def test_pools() -> None:
    assert pool_words(PoolStory("d", "p", "incomplete", "1 of 2 slices")) == "pool d/p is incomplete: 1 of 2 slices"
    assert pool_words(PoolStory("", "", "invalid", "")) == "pool the node's pools is invalid"


def test_devices_that_werent_meant_come_last_and_are_told_by_that_alone() -> None:
    other = DeviceStory(DeviceId("d", "p", "nic"), (Held("ml/c"), SelectorFalse("class gpu", 0, "x", "x")))
    taken = DeviceStory(DeviceId("d", "p", "gpu-0"), (Held("ml/c"),))
    free = DeviceStory(DeviceId("d", "p", "gpu-1"))
    found = grouped(RequestStory("ml/x", "r", 2, (other, taken, free)))
    assert [(group.devices, group.reasons) for group in found] == [
        (("gpu-0",), ("held by claim ml/c",)),
        (("nic",), ("class gpu wants x",)),
    ]
