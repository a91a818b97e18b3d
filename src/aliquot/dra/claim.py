"""Device classes, claims and claim templates: what is asked for, and what was given."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.dra.device import DeviceId
from aliquot.kube.meta import Meta
from aliquot.kube.selectors import NodeSelector
from aliquot.units.quantity import Quantity


@dataclass(frozen=True, slots=True)
class DeviceToleration:
    """Tolerates device taints, by the rules of pod tolerations."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceConfig:
    """Opaque configuration for a driver. `parameters` is the JSON object as read, not interpreted."""

    driver: str
    parameters: object
    requests: tuple[str, ...] = ()
    """Of a claim: the requests it applies to; empty: all. Of a class: always empty."""


@dataclass(frozen=True, slots=True)
class SubRequest:
    """One recipe: of `exactly`, or one alternative of `firstAvailable`."""

    name: str
    """Of the request itself, or of the alternative."""
    class_name: str
    selectors: tuple[str | None, ...] = ()
    """CEL expressions; None: a selector that isn't CEL."""
    mode: str = "ExactCount"
    """ExactCount, All; others are kept as they stand."""
    count: int = 1
    tolerations: tuple[DeviceToleration, ...] = ()
    capacity: Mapping[str, Quantity] | None = None
    """capacity.requests; None: not given."""
    admin_access: bool | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A request of a claim: exactly one recipe, or the first of several that works. Both None: neither was given."""

    name: str
    exactly: SubRequest | None = None
    first_available: tuple[SubRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Constraint:
    """Devices of these requests (empty: all) must share, or must not share, an attribute's value."""

    requests: tuple[str, ...] = ()
    match_attribute: str | None = None
    distinct_attribute: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimSpec:
    """spec.devices of a claim or of a template."""

    requests: tuple[Request, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    config: tuple[DeviceConfig, ...] = ()


@dataclass(frozen=True, slots=True)
class AllocatedDevice:
    """One entry of allocation.devices.results."""

    request: str
    """`request`, or `request/subrequest`."""
    device: DeviceId
    admin_access: bool = False
    tolerations: tuple[DeviceToleration, ...] = ()
    share_id: str | None = None
    consumed: Mapping[str, Quantity] | None = None
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AllocatedConfig:
    """One entry of allocation.devices.config."""

    source: str
    """FromClass or FromClaim."""
    config: DeviceConfig


@dataclass(frozen=True, slots=True)
class ClaimAllocation:
    """status.allocation of a claim."""

    results: tuple[AllocatedDevice, ...] = ()
    config: tuple[AllocatedConfig, ...] = ()
    node_selector: NodeSelector | None = None
    """Where the allocated devices can be reached; None: everywhere."""


@dataclass(frozen=True, slots=True)
class Consumer:
    """An entry of status.reservedFor."""

    resource: str
    name: str
    uid: str
    api_group: str = ""


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """An entry of status.devices: what its driver reports of an allocated device."""

    device: DeviceId
    conditions: Mapping[str, str] = field(default_factory=dict[str, str])
    """Condition type -> status: True, False, Unknown."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A ResourceClaim."""

    meta: Meta
    spec: ClaimSpec
    allocation: ClaimAllocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    devices: tuple[DeviceStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimTemplate:
    """A ResourceClaimTemplate: claims are made from it, one a pod; a later change of it changes no claim."""

    meta: Meta
    spec: ClaimSpec
    claim_meta: Meta = field(default_factory=lambda: Meta(name=""))


@dataclass(frozen=True, slots=True)
class DeviceClass:
    """A DeviceClass: selectors and configuration that a cluster's administrator names."""

    meta: Meta
    selectors: tuple[str | None, ...] = ()
    config: tuple[DeviceConfig, ...] = ()
    extended_resource: str | None = None
    """extendedResourceName: pods may ask for it as if it were a counted resource."""
