"""The JSON shapes of resource.k8s.io, as far as they are read: v1, and where older versions wrote it elsewhere.

Before v1beta2 a request's recipe stood straight in the request (now under `exactly`) and a device's attributes under
`basic`; in v1alpha3 a capacity was a bare quantity (now under `value`).
"""

from typing import Annotated, Any

import msgspec

from aliquot.kube.reading.shape import ABSENT, Amount, Holds, Int64
from aliquot.kube.reading.wire.parts import (
    MinorText,
    Strings,
    Wire,
    WireCondition,
    WireMeta,
    WireNodeSelector,
    WireTemplateMeta,
    WireToleration,
)

NodeSelectorPart = Annotated[msgspec.Raw, Holds(WireNodeSelector)]


class WireCel(Wire):
    """cel of a selector."""

    expression: str


class WireSelector(Wire):
    """selectors[]."""

    cel: WireCel | None = None


class WireOpaque(Wire):
    """opaque of a configuration."""

    driver: str
    parameters: Any = None


class WireConfig(Wire):
    """config[] of a claim, a class or an allocation."""

    source: str | None = None
    requests: Strings | None = None
    opaque: WireOpaque | None = None


class WireCapacityRequests(Wire):
    """capacity of a request."""

    requests: dict[str, Amount] | None = None


class WireSubRequest(Wire):
    """A recipe: of `exactly`, of firstAvailable[]; before v1beta2 of the request itself."""

    name: str | None = None
    device_class_name: str | None = None
    selectors: list[WireSelector] | None = None
    allocation_mode: str | None = None
    count: Int64 | None = None
    tolerations: list[WireToleration] | None = None
    capacity: WireCapacityRequests | None = None
    admin_access: bool | None = None


class WireRequest(WireSubRequest):
    """spec.devices.requests[]."""

    exactly: WireSubRequest | None = None
    first_available: list[WireSubRequest] | None = None


class WireConstraint(Wire):
    """spec.devices.constraints[]."""

    requests: Strings | None = None
    match_attribute: str | None = None
    distinct_attribute: str | None = None


class WireDevices(Wire):
    """spec.devices of a claim."""

    requests: list[WireRequest] | None = None
    constraints: list[WireConstraint] | None = None
    config: list[WireConfig] | None = None


class WireClaimSpec(Wire):
    """spec of a claim."""

    devices: WireDevices | None = None


class WireResult(Wire):
    """status.allocation.devices.results[]."""

    request: str
    driver: str
    pool: str
    device: str
    admin_access: bool | None = None
    tolerations: list[WireToleration] | None = None
    share_id: str | None = msgspec.field(name="shareID", default=None)
    consumed_capacity: dict[str, Amount] | None = None
    binding_conditions: Strings | None = None
    binding_failure_conditions: Strings | None = None


class WireResults(Wire):
    """status.allocation.devices."""

    results: list[WireResult] | None = None
    config: list[WireConfig] | None = None


class WireAllocation(Wire):
    """status.allocation."""

    devices: WireResults | None = None
    node_selector: NodeSelectorPart = ABSENT


class WireConsumer(Wire):
    """status.reservedFor[]."""

    api_group: str | None = None
    resource: str | None = None
    name: str | None = None
    uid: str | None = None


class WireDeviceStatus(Wire):
    """status.devices[]."""

    driver: str
    pool: str
    device: str
    conditions: list[WireCondition] | None = None


class WireClaimStatus(Wire):
    """status of a claim."""

    allocation: WireAllocation | None = None
    reserved_for: list[WireConsumer] | None = None
    devices: list[WireDeviceStatus] | None = None


class WireClaim(Wire):
    """ResourceClaim."""

    metadata: WireMeta
    spec: WireClaimSpec | None = None
    status: WireClaimStatus | None = None


class WireTemplateSpec(Wire):
    """spec of a claim template."""

    metadata: WireTemplateMeta | None = None
    spec: WireClaimSpec | None = None


class WireTemplate(Wire):
    """ResourceClaimTemplate."""

    metadata: WireMeta
    spec: WireTemplateSpec | None = None


class WireClassSpec(Wire):
    """spec of a device class."""

    selectors: list[WireSelector] | None = None
    config: list[WireConfig] | None = None
    extended_resource_name: str | None = None


class WireClass(Wire):
    """DeviceClass."""

    metadata: WireMeta
    spec: WireClassSpec | None = None


class WireAttribute(Wire):
    """An attribute of a device."""

    int_value: Int64 | None = msgspec.field(name="int", default=None)
    bool_value: bool | None = msgspec.field(name="bool", default=None)
    string_value: str | None = msgspec.field(name="string", default=None)
    version_value: str | None = msgspec.field(name="version", default=None)
    int_values: list[Int64] | None = msgspec.field(name="ints", default=None)
    bool_values: list[bool] | None = msgspec.field(name="bools", default=None)
    string_values: Strings | None = msgspec.field(name="strings", default=None)
    version_values: Strings | None = msgspec.field(name="versions", default=None)


class WireRange(Wire):
    """requestPolicy.validRange."""

    min: Amount = ABSENT
    max: Amount = ABSENT
    step: Amount = ABSENT


class WirePolicy(Wire):
    """requestPolicy of a capacity."""

    default: Amount = ABSENT
    valid_values: list[Amount] | None = None
    valid_range: WireRange | None = None


class WireCapacity(Wire):
    """A capacity of a device."""

    value: Amount = ABSENT
    request_policy: WirePolicy | None = None


class WireCounter(Wire):
    """A counter."""

    value: Amount = ABSENT


class WireCounterSet(Wire):
    """sharedCounters[]."""

    name: str
    counters: dict[str, WireCounter] | None = None


class WireCounterUse(Wire):
    """consumesCounters[]."""

    counter_set: str
    counters: dict[str, WireCounter] | None = None


class WireDeviceTaint(Wire):
    """taints[] of a device, and the taint of a rule."""

    key: str
    effect: str
    value: str | None = None
    time_added: MinorText = None


class WireBasic(Wire):
    """What a device is; before v1beta2 under `basic`."""

    attributes: dict[str, WireAttribute] | None = None
    capacity: dict[str, WireCapacity] | None = None
    consumes_counters: list[WireCounterUse] | None = None
    node_name: str | None = None
    node_selector: NodeSelectorPart = ABSENT
    all_nodes: bool | None = None
    taints: list[WireDeviceTaint] | None = None
    binds_to_node: bool | None = None
    binding_conditions: Strings | None = None
    binding_failure_conditions: Strings | None = None
    allow_multiple_allocations: bool | None = None


class WireDevice(WireBasic, kw_only=True):
    """spec.devices[] of a slice."""

    name: str
    basic: WireBasic | None = None


class WirePool(Wire):
    """spec.pool."""

    name: str
    generation: Int64 | None = None
    resource_slice_count: Int64 | None = None


class WireSliceSpec(Wire, kw_only=True):
    """spec of a slice."""

    driver: str
    pool: WirePool
    node_name: str | None = None
    node_selector: NodeSelectorPart = ABSENT
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: list[WireDevice] | None = None
    shared_counters: list[WireCounterSet] | None = None


class WireSlice(Wire):
    """ResourceSlice from v1beta1 on."""

    metadata: WireMeta
    spec: WireSliceSpec


class WireAlphaBasic(Wire):
    """`basic` of a device in v1alpha3: capacities are bare quantities."""

    attributes: dict[str, WireAttribute] | None = None
    capacity: dict[str, Amount] | None = None


class WireAlphaDevice(Wire):
    """spec.devices[] of a slice in v1alpha3."""

    name: str
    basic: WireAlphaBasic | None = None


class WireAlphaSliceSpec(Wire):
    """spec of a slice in v1alpha3."""

    driver: str
    pool: WirePool
    node_name: str | None = None
    node_selector: NodeSelectorPart = ABSENT
    all_nodes: bool | None = None
    devices: list[WireAlphaDevice] | None = None


class WireAlphaSlice(Wire):
    """ResourceSlice in v1alpha3."""

    metadata: WireMeta
    spec: WireAlphaSliceSpec


class WireTaintSelector(Wire):
    """spec.deviceSelector of a rule; class and selectors were in v1alpha3 up to Kubernetes 1.34."""

    driver: str | None = None
    pool: str | None = None
    device: str | None = None
    device_class_name: str | None = None
    selectors: list[WireSelector] | None = None


class WireTaintRuleSpec(Wire):
    """spec of a rule."""

    taint: WireDeviceTaint
    device_selector: WireTaintSelector | None = None


class WireTaintRule(Wire):
    """DeviceTaintRule."""

    metadata: WireMeta
    spec: WireTaintRuleSpec
