"""Slices and their devices."""

from collections.abc import Mapping

from aliquot.dra.device import Attribute, Capacity, Device, DeviceTaint, Slice
from aliquot.units.quantity import Quantity
from scenarios.drivers import Json
from scenarios.written.values import node_selector, text


def slice_spec(made: Slice) -> Json:
    """A slice's spec."""
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
    """A device."""
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
    """An attribute; of none that is known: empty."""
    value = list(made.value) if isinstance(made.value, tuple) else made.value
    return {} if made.kind == "unset" else {made.kind: value}


def capacity(made: Capacity) -> Json:
    """A capacity and its policy."""
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


def counters(made: Mapping[str, Quantity]) -> Json:
    """Counters by name."""
    return {key: {"value": text(value)} for key, value in made.items()}


def taint(made: DeviceTaint) -> Json:
    """A device's taint."""
    return {"key": made.key, "value": made.value or None, "effect": made.effect, "timeAdded": made.time_added}
