"""Older versions of resource.k8s.io are read into the v1 shape; defaults; what a version doesn't know."""

import json
from typing import Any

import pytest

from aliquot.dra.claim import Claim, ClaimTemplate, DeviceClass, DeviceConfig, DeviceToleration, Request, SubRequest
from aliquot.dra.device import (
    Attribute,
    Capacity,
    CounterSet,
    CounterUse,
    Device,
    DeviceTaint,
    RequestPolicy,
    Slice,
    TaintRule,
    ValidRange,
)
from aliquot.dra.read import KINDS, Noun
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.shape import Fault
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from aliquot.units.quantity import Quantity

Json = dict[str, Any]
_KINDS = {(kind.name, version): kind for kind in KINDS for version in kind.versions}


def read(kind: str, version: str, spec: Json, **more: Any) -> tuple[Noun | None, tuple[Fault, ...]]:
    thing = {"metadata": {"name": "x"}, "spec": spec, **more}
    return _KINDS[kind, version].read(json.dumps(thing).encode(), Memo())


def good(kind: str, version: str, spec: Json, **more: Any) -> Any:
    noun, faults = read(kind, version, spec, **more)
    assert faults == ()
    return noun


RECIPE: Json = {
    "deviceClassName": "gpu.nvidia.com",
    "allocationMode": "ExactCount",
    "count": 2,
    "selectors": [{"cel": {"expression": "true"}}],
    "adminAccess": True,
    "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}],
    "capacity": {"requests": {"memory": "8Gi"}},
}
WANTED = SubRequest(
    "gpu",
    "gpu.nvidia.com",
    ("true",),
    "ExactCount",
    2,
    (DeviceToleration("a", "Exists", "", "NoExecute", 30),),
    {"memory": Quantity.parse("8Gi")},
    True,
)


@pytest.mark.parametrize("version", ["v1", "v1beta2"])
def test_recipe_under_exactly(version: str) -> None:
    claim = good("ResourceClaim", version, {"devices": {"requests": [{"name": "gpu", "exactly": RECIPE}]}})
    assert isinstance(claim, Claim)
    assert claim.meta.key == "default/x"
    assert claim.spec.requests == (Request("gpu", WANTED),)


@pytest.mark.parametrize("version", ["v1beta1", "v1alpha3"])
def test_recipe_straight_in_the_request(version: str) -> None:
    claim = good("ResourceClaim", version, {"devices": {"requests": [{"name": "gpu", **RECIPE}]}})
    assert claim.spec.requests == (Request("gpu", WANTED),)
    template = good("ResourceClaimTemplate", version, {"spec": {"devices": {"requests": [{"name": "gpu", **RECIPE}]}}})
    assert isinstance(template, ClaimTemplate)
    assert template.spec == claim.spec


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1"])
def test_first_available(version: str) -> None:
    alternatives = [{"name": "big", "deviceClassName": "a"}, {"name": "small", "deviceClassName": "b", "count": 3}]
    claim = good("ResourceClaim", version, {"devices": {"requests": [{"name": "gpu", "firstAvailable": alternatives}]}})
    assert claim.spec.requests == (Request("gpu", None, (SubRequest("big", "a"), SubRequest("small", "b", count=3))),)


@pytest.mark.parametrize(
    ("given", "mode", "count"),
    [
        ({}, "ExactCount", 1),
        ({"count": 0}, "ExactCount", 0),
        ({"count": -1}, "ExactCount", -1),
        ({"count": None, "allocationMode": None}, "ExactCount", 1),
        ({"allocationMode": "All"}, "All", 1),
        ({"allocationMode": "future-mode", "count": 5}, "future-mode", 5),
    ],
)
def test_mode_and_count(given: Json, mode: str, count: int) -> None:
    recipe = {"deviceClassName": "c", **given}
    claim = good("ResourceClaim", "v1", {"devices": {"requests": [{"name": "r", "exactly": recipe}]}})
    assert claim.spec.requests[0].exactly == SubRequest("r", "c", mode=mode, count=count)


def test_empty_specs() -> None:
    assert good("ResourceClaim", "v1", {}).spec.requests == ()
    assert good("ResourceClaim", "v1", {"devices": {"requests": [{"name": "r"}]}}).spec.requests == (Request("r"),)
    assert good("ResourceClaimTemplate", "v1", {}).spec.requests == ()
    assert good("ResourceSlice", "v1", {"driver": "d", "pool": {"name": "p"}}) == Slice(
        good("DeviceClass", "v1", {}).meta, "d", "p", 0, 1
    )
    assert good("DeviceClass", "v1", {}).selectors == ()


def test_recipe_in_the_wrong_place_of_v1() -> None:
    noun, faults = read("ResourceClaim", "v1", {"devices": {"requests": [{"name": "gpu", **RECIPE}]}})
    assert noun is None
    assert [fault.path for fault in faults] == [
        f"spec.devices.requests[0].{name}"
        for name in (
            "deviceClassName", "selectors", "allocationMode", "count", "tolerations", "capacity", "adminAccess",
        )
    ]  # fmt: skip
    assert "spec.devices.requests[0].exactly.deviceClassName" in faults[0].hint
    noun, faults = read("ResourceClaimTemplate", "v1beta2", {"spec": {"devices": {"requests": [{"count": 1}]}}})
    assert noun is None
    assert [fault.path for fault in faults] == ["spec.spec.devices.requests[0].count"]


def test_exactly_in_v1beta1() -> None:
    noun, faults = read("ResourceClaim", "v1beta1", {"devices": {"requests": [{"name": "a", "exactly": RECIPE}]}})
    assert noun is None
    assert faults == (
        Fault("spec.devices.requests[0].exactly", "not a field of this version", "use apiVersion resource.k8s.io/v1"),
    )


DEVICE: Json = {
    "attributes": {
        "i": {"int": 0},
        "b": {"bool": False},
        "s": {"string": ""},
        "v": {"version": "1.2.3"},
        "is": {"ints": [1, 2]},
        "bs": {"bools": [True]},
        "ss": {"strings": ["a"]},
        "vs": {"versions": ["1.0.0"]},
        "u": {},
    },
    "capacity": {"memory": {"value": "40Gi"}},
}
ATTRIBUTES = {
    "i": Attribute("int", 0),
    "b": Attribute("bool", False),
    "s": Attribute("string", ""),
    "v": Attribute("version", "1.2.3"),
    "is": Attribute("ints", (1, 2)),
    "bs": Attribute("bools", (True,)),
    "ss": Attribute("strings", ("a",)),
    "vs": Attribute("versions", ("1.0.0",)),
    "u": Attribute("unset", None),
}


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1beta1", "v1alpha3"])
def test_devices_of_every_version(version: str) -> None:
    device = dict(DEVICE)
    if version == "v1alpha3":
        device["capacity"] = {"memory": "40Gi"}
    listed = {"name": "gpu-0", **device} if version in {"v1", "v1beta2"} else {"name": "gpu-0", "basic": device}
    spec = {
        "driver": "gpu.nvidia.com",
        "pool": {"name": "n", "generation": 3, "resourceSliceCount": 2},
        "nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "Exists"}]}]},
        "devices": [listed],
    }
    made = good("ResourceSlice", version, spec)
    assert isinstance(made, Slice)
    assert (made.driver, made.pool, made.generation, made.slice_count) == ("gpu.nvidia.com", "n", 3, 2)
    assert made.node_selector == NodeSelector((NodeSelectorTerm((Requirement("k", "Exists"),)),))
    assert made.devices == (Device("gpu-0", ATTRIBUTES, {"memory": Capacity(Quantity.parse("40Gi"))}),)


def test_device_without_a_body() -> None:
    for version in ("v1beta1", "v1alpha3"):
        made = good("ResourceSlice", version, {"driver": "d", "pool": {"name": "p"}, "devices": [{"name": "a"}]})
        assert made.devices == (Device("a"),)


def test_fields_of_basic_in_v1_are_told() -> None:
    spec = {"driver": "d", "pool": {"name": "p"}, "devices": [{"name": "a"}, {"name": "b", "basic": DEVICE}]}
    noun, faults = read("ResourceSlice", "v1", spec)
    assert noun is None
    assert [fault.path for fault in faults] == ["spec.devices[1].basic"]


def test_shared_devices_counters_and_taints() -> None:
    device = {
        "name": "a",
        "capacity": {
            "m": {
                "value": "1",
                "requestPolicy": {"default": 1, "validValues": [1, "2"], "validRange": {"min": "1", "step": None}},
            },
            "none": {},
        },
        "consumesCounters": [{"counterSet": "s", "counters": {"c": {"value": "2"}, "zero": {}}}],
        "taints": [{"key": "k", "effect": "None", "timeAdded": "2026-11-30T00:00:00Z"}],
        "nodeName": "n",
        "bindsToNode": True,
        "bindingConditions": ["ready"],
        "bindingFailureConditions": ["broken"],
        "allowMultipleAllocations": True,
    }
    counters = [{"name": "s", "counters": {"c": {"value": "4"}}}, {"name": "empty"}]
    spec = {"driver": "d", "pool": {"name": "p"}, "devices": [device], "sharedCounters": counters}
    made = good("ResourceSlice", "v1", {**spec, "allNodes": True, "perDeviceNodeSelection": False})
    one, two, four, zero = (Quantity.of(number) for number in (1, 2, 4, 0))
    assert made.devices == (
        Device(
            "a",
            {},
            {"m": Capacity(one, RequestPolicy(one, (one, two), ValidRange(one, None, None))), "none": Capacity(zero)},
            (CounterUse("s", {"c": two, "zero": zero}),),
            "n",
            None,
            None,
            (DeviceTaint("k", "None", "", "2026-11-30T00:00:00Z"),),
            True,
            ("ready",),
            ("broken",),
            True,
        ),
    )
    assert made.shared_counters == (CounterSet("s", {"c": four}), CounterSet("empty", {}))
    assert (made.all_nodes, made.per_device_node_selection) == (True, False)


@pytest.mark.parametrize("version", ["v1", "v1beta2", "v1alpha3"])
def test_taint_rules(version: str) -> None:
    rule = good(
        "DeviceTaintRule",
        version,
        {"deviceSelector": {"driver": "d", "pool": "p"}, "taint": {"key": "k", "value": "v", "effect": "NoExecute"}},
    )
    assert isinstance(rule, TaintRule)
    assert (rule.driver, rule.pool, rule.device) == ("d", "p", None)
    assert rule.taint == DeviceTaint("k", "NoExecute", "v")
    assert good("DeviceTaintRule", version, {"taint": {"key": "k", "effect": "None"}}).driver is None


def test_taint_rule_by_class_is_left_out() -> None:
    noun, faults = read(
        "DeviceTaintRule",
        "v1alpha3",
        {"deviceSelector": {"deviceClassName": "c"}, "taint": {"key": "k", "effect": "NoExecute"}},
    )
    assert noun is None
    assert [fault.path for fault in faults] == ["spec.deviceSelector"]


def test_class() -> None:
    opaque = {"driver": "gpu.nvidia.com", "parameters": {"kind": "GpuConfig", "replicas": 2}}
    spec = {
        "selectors": [{"cel": {"expression": "true"}}, {}],
        "config": [{"opaque": opaque}, {}],
        "extendedResourceName": "nvidia.com/gpu",
    }
    made = good("DeviceClass", "v1", spec)
    assert isinstance(made, DeviceClass)
    assert made.selectors == ("true", None)
    assert made.config == (DeviceConfig("gpu.nvidia.com", {"kind": "GpuConfig", "replicas": 2}),)
    assert made.extended_resource == "nvidia.com/gpu"


def test_template_metadata() -> None:
    made = good("ResourceClaimTemplate", "v1", {"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}})
    assert (made.claim_meta.labels, made.claim_meta.annotations) == ({"a": "b"}, {"c": "d"})


def test_allocation() -> None:
    result = {
        "request": "gpu/big", "driver": "d", "pool": "p", "device": "x", "adminAccess": True, "shareID": "s",
        "consumedCapacity": {"memory": "1Gi"}, "bindingConditions": ["a"], "bindingFailureConditions": ["b"],
        "tolerations": [{"operator": "Exists"}],
    }  # fmt: skip
    config = [{"source": "FromClass", "requests": ["gpu"], "opaque": {"driver": "d"}}, {"source": "FromClaim"}]
    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}]}
    status = {
        "allocation": {"devices": {"results": [result], "config": config}, "nodeSelector": selector},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}],
        "devices": [
            {
                "driver": "d",
                "pool": "p",
                "device": "x",
                "conditions": [{"type": "a", "status": "True"}, {"status": "x"}],
            },
            {"driver": "d", "pool": "p", "device": "y"},
        ],
    }
    made = good("ResourceClaim", "v1", {}, status=status)
    assert made.allocation is not None
    (got,) = made.allocation.results
    assert (str(got.device), got.request, got.admin_access, got.share_id) == ("d/p/x", "gpu/big", True, "s")
    assert got.consumed == {"memory": Quantity.parse("1Gi")}
    assert (got.binding_conditions, got.binding_failure_conditions) == (("a",), ("b",))
    assert got.tolerations == (DeviceToleration("", "Exists"),)
    assert [(one.source, one.config.requests) for one in made.allocation.config] == [("FromClass", ("gpu",))]
    assert made.allocation.node_selector is not None
    assert made.reserved_for[0].name == "p"
    assert [(one.device.device, one.conditions) for one in made.devices] == [("x", {"a": "True"}), ("y", {})]
    assert good("ResourceClaim", "v1", {}, status={"allocation": {}}).allocation.results == ()
    assert good("ResourceClaim", "v1", {}, status={}).allocation is None


EXACTLY = "spec.devices.requests[0].exactly"


@pytest.mark.parametrize(
    ("kind", "spec", "faults"),
    [
        (
            "ResourceClaim",
            {"devices": {"requests": [{"exactly": {"count": True, "deviceClassName": 1}}]}},
            {
                "spec.devices.requests[0].exactly.count: expected an integer, found true",
                "spec.devices.requests[0].exactly.deviceClassName: expected a string, found 1",
            },
        ),
        (
            "ResourceClaim",
            {"devices": {"requests": [{"exactly": {"count": 2**64}}]}},
            {f"{EXACTLY}.count: expected an integer from {-(2**63)} to {2**63 - 1}, found {2**64}"},
        ),
        (
            "ResourceSlice",
            {"devices": [{"attributes": {"a": {"int": "1"}}, "capacity": {"m": {"value": "big"}}}]},
            {
                "spec.driver: missing",
                "spec.pool: missing",
                "spec.devices[0].name: missing",
                'spec.devices[0].attributes.a.int: expected an integer, found "1"',
                'spec.devices[0].capacity.m.value: expected a quantity, found "big"',
            },
        ),
        ("DeviceTaintRule", {"taint": {"key": "k"}}, {"spec.taint.effect: missing"}),
    ],
)
def test_faults_have_paths(kind: str, spec: Json, faults: set[str]) -> None:
    noun, told = read(kind, "v1", spec)
    assert noun is None
    assert {f"{fault.path}: {fault.message}" for fault in told} == faults


def test_minor_faults_keep_the_object() -> None:
    taint = {"key": "k", "effect": "None", "timeAdded": 5}
    spec = {"driver": "d", "pool": {"name": "p"}, "devices": [{"name": "a", "taints": [taint]}]}
    noun, told = read("ResourceSlice", "v1", spec)
    assert isinstance(noun, Slice)
    assert noun.devices[0].taints == (DeviceTaint("k", "None"),)
    assert [fault.path for fault in told] == ["spec.devices[0].taints[0].timeAdded"]
