"""ResourceSlices as JSON of resource.k8s.io/v1: what the API server takes. The other way is `dra.read`."""

from collections.abc import Mapping
from typing import Any

from aliquot.dra.device import Attribute, Capacity, Device, DeviceTaint, RequestPolicy, Slice
from aliquot.units.quantity import Quantity

Json = dict[str, Any]


def slice_json(one: Slice) -> Json:
    """A slice of one node, whose devices are published by its node's driver."""
    spec: Json = {
        "driver": one.driver,
        "pool": {"name": one.pool, "generation": one.generation, "resourceSliceCount": one.slice_count},
        "nodeName": one.node_name,
    }
    if one.shared_counters:
        spec["sharedCounters"] = [
            {"name": each.name, "counters": _values(each.counters)} for each in one.shared_counters
        ]
    if one.devices:
        spec["devices"] = [device_json(device) for device in one.devices]
    metadata: Json = {"name": one.meta.name}
    if one.meta.resource_version:
        metadata["resourceVersion"] = one.meta.resource_version
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": metadata, "spec": spec}


def device_json(device: Device) -> Json:
    """A device of a slice."""
    written: Json = {"name": device.name}
    if device.attributes:
        written["attributes"] = {name: _attribute(each) for name, each in device.attributes.items()}
    if device.capacity:
        written["capacity"] = {name: _capacity(each) for name, each in device.capacity.items()}
    if device.consumes:
        written["consumesCounters"] = [
            {"counterSet": use.counter_set, "counters": _values(use.counters)} for use in device.consumes
        ]
    if device.taints:
        written["taints"] = [_taint(taint) for taint in device.taints]
    if device.allow_multiple:
        written["allowMultipleAllocations"] = True
    return written


def _values(counters: Mapping[str, Quantity]) -> Json:
    return {name: {"value": str(value)} for name, value in counters.items()}


def _attribute(attribute: Attribute) -> Json:
    value = attribute.value
    return {attribute.kind: list(value) if isinstance(value, tuple) else value}


def _capacity(capacity: Capacity) -> Json:
    written: Json = {"value": str(capacity.value)}
    if capacity.policy is not None:
        written["requestPolicy"] = _policy(capacity.policy)
    return written


def _policy(policy: RequestPolicy) -> Json:
    written: Json = {}
    if policy.default is not None:
        written["default"] = str(policy.default)
    if policy.valid_values:
        written["validValues"] = [str(value) for value in policy.valid_values]
    if policy.valid_range is not None:
        limits = policy.valid_range
        pairs = (("min", limits.min), ("max", limits.max), ("step", limits.step))
        written["validRange"] = {name: str(value) for name, value in pairs if value is not None}
    return written


def _taint(taint: DeviceTaint) -> Json:
    written = {"key": taint.key, "value": taint.value, "effect": taint.effect, "timeAdded": taint.time_added}
    return {name: value for name, value in written.items() if value}
