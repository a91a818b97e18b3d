"""DRA nouns written as v1 JSON, to compare with what they were read from."""

from collections.abc import Mapping
from typing import Any

from aliquot.dra.claim import (
    AllocatedDevice,
    Claim,
    ClaimAllocation,
    ClaimSpec,
    ClaimTemplate,
    Constraint,
    DeviceClass,
    DeviceConfig,
    DeviceToleration,
    Request,
    SubRequest,
)
from aliquot.dra.device import Attribute, Capacity, Device, DeviceTaint, Slice
from aliquot.kube.selectors import NodeSelector, Requirement
from aliquot.units.quantity import Quantity

Json = dict[str, Any]
_ATTRIBUTES = {
    "int": "int", "bool": "bool", "string": "string", "version": "version",
    "ints": "ints", "bools": "bools", "strings": "strings", "versions": "versions",
}  # fmt: skip


def without_absent(value: Any) -> Any:
    """Without None and empty containers, all the way down: Go's omitempty."""
    if isinstance(value, dict):
        inner = {key: without_absent(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in (None, [], {})}
    if isinstance(value, list):
        return [without_absent(item) for item in value]
    return value


def slice_spec(made: Slice) -> Json:
    return {
        "driver": made.driver,
        "pool": {"name": made.pool, "generation": made.generation, "resourceSliceCount": made.slice_count},
        "nodeName": made.node_name,
        "nodeSelector": node_selector(made.node_selector),
        "allNodes": made.all_nodes,
        "perDeviceNodeSelection": made.per_device_node_selection,
        "devices": [device(one) for one in made.devices],
        "sharedCounters": [{"name": one.name, "counters": counters(one.counters)} for one in made.shared_counters],
    }


def device(made: Device) -> Json:
    return {
        "name": made.name,
        "attributes": {key: attribute(value) for key, value in made.attributes.items()},
        "capacity": {key: capacity(value) for key, value in made.capacity.items()},
        "consumesCounters": [
            {"counterSet": use.counter_set, "counters": counters(use.counters)} for use in made.consumes
        ],
        "nodeName": made.node_name,
        "nodeSelector": node_selector(made.node_selector),
        "allNodes": made.all_nodes,
        "taints": [taint(one) for one in made.taints],
        "bindsToNode": made.binds_to_node or None,
        "bindingConditions": list(made.binding_conditions),
        "bindingFailureConditions": list(made.binding_failure_conditions),
        "allowMultipleAllocations": made.allow_multiple or None,
    }


def attribute(made: Attribute) -> Json:
    value = list(made.value) if isinstance(made.value, tuple) else made.value
    return {} if made.kind == "unset" else {_ATTRIBUTES[made.kind]: value}


def capacity(made: Capacity) -> Json:
    policy = made.policy
    limits = policy.valid_range if policy else None
    return {
        "value": text(made.value),
        "requestPolicy": {
            "default": text(policy.default),
            "validValues": [text(one) for one in policy.valid_values],
            "validRange": {"min": text(limits.min), "max": text(limits.max), "step": text(limits.step)}
            if limits
            else None,
        }
        if policy
        else None,
    }


def text(made: Quantity | None) -> str | None:
    return None if made is None else made.canonical()


def counters(made: Mapping[str, Quantity]) -> Json:
    return {key: {"value": text(value)} for key, value in made.items()}


def taint(made: DeviceTaint) -> Json:
    return {"key": made.key, "value": made.value or None, "effect": made.effect, "timeAdded": made.time_added}


def node_selector(made: NodeSelector | None) -> Json | None:
    if made is None:
        return None
    return {
        "nodeSelectorTerms": [
            {
                "matchExpressions": [requirement(one) for one in term.expressions],
                "matchFields": [requirement(one) for one in term.fields],
            }
            for term in made.terms
        ]
    }


def requirement(made: Requirement) -> Json:
    return {"key": made.key, "operator": made.operator, "values": list(made.values)}


def claim_spec(made: ClaimSpec) -> Json:
    return {
        "devices": {
            "requests": [request(one) for one in made.requests],
            "constraints": [constraint(one) for one in made.constraints],
            "config": [config(one) for one in made.config],
        }
    }


def request(made: Request) -> Json:
    return {
        "name": made.name,
        "exactly": recipe(made.exactly, named=False) if made.exactly else None,
        "firstAvailable": [recipe(one, named=True) for one in made.first_available],
    }


def recipe(made: SubRequest, *, named: bool) -> Json:
    return {
        "name": made.name if named else None,
        "deviceClassName": made.class_name,
        "selectors": [{"cel": {"expression": one}} for one in made.selectors],
        "allocationMode": made.mode,
        "count": made.count,
        "tolerations": [toleration(one) for one in made.tolerations],
        "capacity": {"requests": {key: text(value) for key, value in made.capacity.items()}} if made.capacity else None,
        "adminAccess": made.admin_access,
    }


def toleration(made: DeviceToleration) -> Json:
    return {
        "key": made.key or None,
        "operator": made.operator,
        "value": made.value or None,
        "effect": made.effect or None,
        "tolerationSeconds": made.seconds,
    }


def constraint(made: Constraint) -> Json:
    return {
        "requests": list(made.requests),
        "matchAttribute": made.match_attribute,
        "distinctAttribute": made.distinct_attribute,
    }


def config(made: DeviceConfig) -> Json:
    return {"requests": list(made.requests), "opaque": {"driver": made.driver, "parameters": made.parameters}}


def allocation(made: ClaimAllocation) -> Json:
    return {
        "devices": {
            "results": [result(one) for one in made.results],
            "config": [{"source": one.source, **config(one.config)} for one in made.config],
        },
        "nodeSelector": node_selector(made.node_selector),
    }


def result(made: AllocatedDevice) -> Json:
    return {
        "request": made.request,
        "driver": made.device.driver,
        "pool": made.device.pool,
        "device": made.device.device,
        "adminAccess": made.admin_access or None,
        "tolerations": [toleration(one) for one in made.tolerations],
        "shareID": made.share_id,
        "consumedCapacity": {key: text(value) for key, value in made.consumed.items()} if made.consumed else None,
        "bindingConditions": list(made.binding_conditions),
        "bindingFailureConditions": list(made.binding_failure_conditions),
    }


def written(made: Slice | DeviceClass | Claim | ClaimTemplate) -> Json:
    """spec (and the allocation) as v1 JSON, absent fields left out."""
    match made:
        case Slice():
            whole: Json = {"spec": slice_spec(made)}
        case DeviceClass():
            whole = {
                "spec": {
                    "selectors": [{"cel": {"expression": one}} for one in made.selectors],
                    "config": [config(one) for one in made.config],
                    "extendedResourceName": made.extended_resource,
                }
            }
        case ClaimTemplate():
            whole = {"spec": {"spec": claim_spec(made.spec)}}
        case Claim():
            consumers = [
                {"apiGroup": one.api_group or None, "resource": one.resource, "name": one.name, "uid": one.uid}
                for one in made.reserved_for
            ]
            status = {"allocation": allocation(made.allocation) if made.allocation else None, "reservedFor": consumers}
            whole = {"spec": claim_spec(made.spec), "status": status}
    cleaned: Json = without_absent(whole)
    return cleaned
