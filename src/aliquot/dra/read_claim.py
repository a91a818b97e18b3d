"""Claims, claim templates and device classes from their JSON, of any version, into the v1 shape.

The API server's defaults are applied where a field is absent: mode ExactCount, count 1, operator Equal. A count of 0
that was written stays 0.
"""

from collections.abc import Iterable

from aliquot.dra.claim import (
    AllocatedConfig,
    AllocatedDevice,
    Claim,
    ClaimAllocation,
    ClaimSpec,
    ClaimTemplate,
    Constraint,
    Consumer,
    DeviceClass,
    DeviceConfig,
    DeviceStatus,
    DeviceToleration,
    Request,
    SubRequest,
)
from aliquot.dra.device import DeviceId
from aliquot.dra.wire import (
    WireAllocation,
    WireClaim,
    WireClaimSpec,
    WireClaimStatus,
    WireClass,
    WireClassSpec,
    WireConfig,
    WireRequest,
    WireResult,
    WireSelector,
    WireSubRequest,
    WireTemplate,
)
from aliquot.kube.meta import EMPTY, Meta
from aliquot.kube.reading.memo import Memo
from aliquot.kube.reading.parts import annotations, cluster_meta, labels, meta, node_selector_of, quantity
from aliquot.kube.reading.shape import Fault, FaultsError
from aliquot.kube.reading.wire.parts import WireToleration

_RECIPE = ("device_class_name", "selectors", "allocation_mode", "count", "tolerations", "capacity", "admin_access")
_RECIPE_NAMES = {
    "device_class_name": "deviceClassName",
    "allocation_mode": "allocationMode",
    "admin_access": "adminAccess",
}


def claim(wire: WireClaim, memo: Memo) -> Claim:
    """A ResourceClaim of v1 or v1beta2."""
    return _claim(wire, memo, flat=False)


def flat_claim(wire: WireClaim, memo: Memo) -> Claim:
    """A ResourceClaim of v1beta1 or v1alpha3: the recipe stands straight in the request."""
    return _claim(wire, memo, flat=True)


def _claim(wire: WireClaim, memo: Memo, *, flat: bool) -> Claim:
    status = wire.status or WireClaimStatus()
    return Claim(
        meta(wire.metadata, memo),
        _spec(wire.spec, "spec", flat=flat),
        _allocation(status.allocation, memo) if status.allocation is not None else None,
        tuple(
            Consumer(entry.resource or "", entry.name or "", entry.uid or "", entry.api_group or "")
            for entry in status.reserved_for or ()
        ),
        tuple(
            DeviceStatus(
                DeviceId(entry.driver, entry.pool, entry.device),
                {condition.type: condition.status or "" for condition in entry.conditions or () if condition.type},
            )
            for entry in status.devices or ()
        ),
    )


def template(wire: WireTemplate, memo: Memo) -> ClaimTemplate:
    """A ResourceClaimTemplate of v1 or v1beta2."""
    return _template(wire, memo, flat=False)


def flat_template(wire: WireTemplate, memo: Memo) -> ClaimTemplate:
    """A ResourceClaimTemplate of v1beta1 or v1alpha3."""
    return _template(wire, memo, flat=True)


def _template(wire: WireTemplate, memo: Memo, *, flat: bool) -> ClaimTemplate:
    inner = wire.spec.metadata if wire.spec else None
    return ClaimTemplate(
        meta(wire.metadata, memo),
        _spec(wire.spec.spec if wire.spec else None, "spec.spec", flat=flat),
        Meta(
            name="",
            labels=memo.of(labels, inner.labels, EMPTY) if inner else EMPTY,
            annotations=memo.of(annotations, inner.annotations, EMPTY) if inner else EMPTY,
        ),
    )


def device_class(wire: WireClass, memo: Memo) -> DeviceClass:
    """A DeviceClass."""
    spec = wire.spec or WireClassSpec()
    return DeviceClass(
        cluster_meta(wire.metadata, memo),
        _selectors(spec.selectors),
        _configs(spec.config),
        spec.extended_resource_name,
    )


def tolerations(wires: Iterable[WireToleration] | None) -> tuple[DeviceToleration, ...]:
    """Tolerations of device taints; an absent operator means Equal."""
    return tuple(
        DeviceToleration(
            wire.key or "", wire.operator or "Equal", wire.value or "", wire.effect or "", wire.toleration_seconds
        )
        for wire in wires or ()
    )


def _spec(wire: WireClaimSpec | None, path: str, *, flat: bool) -> ClaimSpec:
    devices = wire.devices if wire else None
    if devices is None:
        return ClaimSpec()
    faults = [
        fault
        for index, request in enumerate(devices.requests or ())
        for fault in _misplaced(request, f"{path}.devices.requests[{index}]", flat=flat)
    ]
    if faults:
        raise FaultsError(*faults)
    return ClaimSpec(
        tuple(_request(request, flat=flat) for request in devices.requests or ()),
        tuple(
            Constraint(tuple(entry.requests or ()), entry.match_attribute, entry.distinct_attribute)
            for entry in devices.constraints or ()
        ),
        _configs(devices.config),
    )


def _misplaced(wire: WireRequest, path: str, *, flat: bool) -> Iterable[Fault]:
    """A recipe that this version of the API looks for elsewhere."""
    if flat:
        if wire.exactly is not None:
            yield Fault(f"{path}.exactly", "not a field of this version", "use apiVersion resource.k8s.io/v1")
        return
    for name in _RECIPE:
        if getattr(wire, name) is not None:
            written = _RECIPE_NAMES.get(name, name)
            hint = f"move it to {path}.exactly.{written}, or use apiVersion resource.k8s.io/v1beta1"
            yield Fault(f"{path}.{written}", "not a field of this version", hint)


def _request(wire: WireRequest, *, flat: bool) -> Request:
    name = wire.name or ""
    alternatives = tuple(_recipe(entry, entry.name or "") for entry in wire.first_available or ())
    if flat:
        return Request(name, _recipe(wire, name) if wire.device_class_name or not alternatives else None, alternatives)
    return Request(name, _recipe(wire.exactly, name) if wire.exactly is not None else None, alternatives)


def _recipe(wire: WireSubRequest, name: str) -> SubRequest:
    return SubRequest(
        name,
        wire.device_class_name or "",
        _selectors(wire.selectors),
        wire.allocation_mode or "ExactCount",
        1 if wire.count is None else wire.count,
        tolerations(wire.tolerations),
        {key: quantity(value) for key, value in (wire.capacity.requests or {}).items()} if wire.capacity else None,
        wire.admin_access,
    )


def _selectors(wires: Iterable[WireSelector] | None) -> tuple[str | None, ...]:
    return tuple(wire.cel.expression if wire.cel else None for wire in wires or ())


def _configs(wires: Iterable[WireConfig] | None) -> tuple[DeviceConfig, ...]:
    return tuple(_config(wire) for wire in wires or () if wire.opaque is not None)


def _config(wire: WireConfig) -> DeviceConfig:
    assert wire.opaque is not None
    return DeviceConfig(wire.opaque.driver, wire.opaque.parameters, tuple(wire.requests or ()))


def _allocation(wire: WireAllocation, memo: Memo) -> ClaimAllocation:
    devices = wire.devices
    return ClaimAllocation(
        tuple(_result(entry) for entry in devices.results or ()) if devices else (),
        tuple(
            AllocatedConfig(entry.source or "", _config(entry))
            for entry in devices.config or ()
            if entry.opaque is not None
        )
        if devices
        else (),
        memo.of(node_selector_of, wire.node_selector, None),
    )


def _result(wire: WireResult) -> AllocatedDevice:
    return AllocatedDevice(
        wire.request,
        DeviceId(wire.driver, wire.pool, wire.device),
        bool(wire.admin_access),
        tolerations(wire.tolerations),
        wire.share_id,
        {key: quantity(value) for key, value in wire.consumed_capacity.items()}
        if wire.consumed_capacity is not None
        else None,
        tuple(wire.binding_conditions or ()),
        tuple(wire.binding_failure_conditions or ()),
    )
