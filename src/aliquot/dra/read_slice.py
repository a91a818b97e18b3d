"""ResourceSlices and DeviceTaintRules from their JSON, of any version, into the v1 shape."""

from collections.abc import Mapping

import msgspec

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
from aliquot.dra.wire import (
    WireAlphaDevice,
    WireAlphaSlice,
    WireAttribute,
    WireBasic,
    WireCapacity,
    WireCounter,
    WireDeviceTaint,
    WirePolicy,
    WirePool,
    WireSlice,
    WireTaintRule,
    WireTaintSelector,
)
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import cluster_meta, node_selector_of, quantity
from aliquot.kube.reading.shape import Fault, FaultsError
from aliquot.units.quantity import Quantity

_UNSET = Attribute("unset", None)
_ZERO = Quantity.of(0)


def resource_slice(wire: WireSlice, memo: Memo) -> Slice:
    """A ResourceSlice of v1 or v1beta2.

    Raises:
        FaultsError: a device has its fields under `basic`, where v1beta1 had them.
    """
    hint = "move its fields up into the device, as v1 has them, or use apiVersion resource.k8s.io/v1beta1"
    misplaced = [
        Fault(f"spec.devices[{index}].basic", "not a field of this version", hint)
        for index, device in enumerate(wire.spec.devices or ())
        if device.basic is not None
    ]
    if misplaced:
        raise FaultsError(*misplaced)
    return _slice(wire, tuple(_device(device.name, device, memo) for device in wire.spec.devices or ()), memo)


def basic_slice(wire: WireSlice, memo: Memo) -> Slice:
    """A ResourceSlice of v1beta1: a device's fields are under `basic`."""
    return _slice(
        wire, tuple(_device(device.name, device.basic or WireBasic(), memo) for device in wire.spec.devices or ()), memo
    )


def alpha_slice(wire: WireAlphaSlice, memo: Memo) -> Slice:
    """A ResourceSlice of v1alpha3."""
    spec = wire.spec
    return Slice(
        cluster_meta(wire.metadata, memo),
        spec.driver,
        *_pool(spec.pool),
        spec.node_name,
        memo.of(node_selector_of, spec.node_selector, None),
        spec.all_nodes,
        devices=tuple(_alpha_device(device) for device in spec.devices or ()),
    )


def _slice(wire: WireSlice, devices: tuple[Device, ...], memo: Memo) -> Slice:
    spec = wire.spec
    return Slice(
        cluster_meta(wire.metadata, memo),
        spec.driver,
        *_pool(spec.pool),
        spec.node_name,
        memo.of(node_selector_of, spec.node_selector, None),
        spec.all_nodes,
        spec.per_device_node_selection,
        devices,
        tuple(CounterSet(entry.name, _counters(entry.counters)) for entry in spec.shared_counters or ()),
    )


def _pool(wire: WirePool) -> tuple[str, int, int]:
    """Name, generation (0 where absent, as in Go) and number of slices (at least the one that says so)."""
    return wire.name, wire.generation or 0, 1 if wire.resource_slice_count is None else wire.resource_slice_count


def _device(name: str, wire: WireBasic, memo: Memo) -> Device:
    return Device(
        name,
        _attributes(wire.attributes),
        {key: _capacity(value) for key, value in (wire.capacity or {}).items()},
        tuple(CounterUse(use.counter_set, _counters(use.counters)) for use in wire.consumes_counters or ()),
        wire.node_name,
        memo.of(node_selector_of, wire.node_selector, None),
        wire.all_nodes,
        tuple(_taint(taint) for taint in wire.taints or ()),
        bool(wire.binds_to_node),
        tuple(wire.binding_conditions or ()),
        tuple(wire.binding_failure_conditions or ()),
        bool(wire.allow_multiple_allocations),
    )


def _alpha_device(wire: WireAlphaDevice) -> Device:
    if wire.basic is None:
        return Device(wire.name)
    capacity = {key: Capacity(quantity(value)) for key, value in (wire.basic.capacity or {}).items()}
    return Device(wire.name, _attributes(wire.basic.attributes), capacity)


def _attributes(wires: Mapping[str, WireAttribute] | None) -> dict[str, Attribute]:
    return {key: _attribute(value) for key, value in (wires or {}).items()}


def _attribute(wire: WireAttribute) -> Attribute:
    """The attribute's one value; of several, the first in the order in which Kubernetes looks."""
    if wire.int_value is not None:
        return Attribute("int", wire.int_value)
    if wire.bool_value is not None:
        return Attribute("bool", wire.bool_value)
    if wire.string_value is not None:
        return Attribute("string", wire.string_value)
    if wire.version_value is not None:
        return Attribute("version", wire.version_value)
    if wire.int_values is not None:
        return Attribute("ints", tuple(wire.int_values))
    if wire.bool_values is not None:
        return Attribute("bools", tuple(wire.bool_values))
    if wire.string_values is not None:
        return Attribute("strings", tuple(wire.string_values))
    if wire.version_values is not None:
        return Attribute("versions", tuple(wire.version_values))
    return _UNSET


def _maybe(raw: msgspec.Raw) -> Quantity | None:
    return None if bytes(raw) in {b"", b"null"} else quantity(raw)


def _counters(wires: Mapping[str, WireCounter] | None) -> dict[str, Quantity]:
    return {key: _maybe(value.value) or _ZERO for key, value in (wires or {}).items()}


def _capacity(wire: WireCapacity) -> Capacity:
    return Capacity(_maybe(wire.value) or _ZERO, _policy(wire.request_policy) if wire.request_policy else None)


def _policy(wire: WirePolicy) -> RequestPolicy:
    limits = wire.valid_range
    return RequestPolicy(
        _maybe(wire.default),
        tuple(quantity(value) for value in wire.valid_values or ()),
        ValidRange(_maybe(limits.min), _maybe(limits.max), _maybe(limits.step)) if limits else None,
    )


def _taint(wire: WireDeviceTaint) -> DeviceTaint:
    return DeviceTaint(wire.key, wire.effect, wire.value or "", wire.time_added)


def taint_rule(wire: WireTaintRule, memo: Memo) -> TaintRule:
    """A DeviceTaintRule.

    Raises:
        FaultsError: it selects devices by class or CEL, which only v1alpha3 up to Kubernetes 1.34 knew.
    """
    chosen = wire.spec.device_selector or WireTaintSelector()
    if chosen.device_class_name is not None or chosen.selectors is not None:
        raise FaultsError(
            Fault(
                "spec.deviceSelector",
                "selects by class or CEL, which Kubernetes dropped in 1.35",
                "name driver, pool and device",
            )
        )
    return TaintRule(
        cluster_meta(wire.metadata, memo), _taint(wire.spec.taint), chosen.driver, chosen.pool, chosen.device
    )
