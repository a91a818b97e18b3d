"""Devices and the ResourceSlices that publish them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aliquot.kube.meta import Meta
from aliquot.kube.selectors import NodeSelector
from aliquot.units.quantity import Quantity

AttributeKind = Literal["int", "bool", "string", "version", "ints", "bools", "strings", "versions", "unset"]


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: its kind and value; a version stays text, as matchAttribute compares it.

    The plural kinds (gate DRAListTypeAttributes) hold tuples. `unset`: no known field was set; value None.
    """

    kind: AttributeKind
    value: int | bool | str | tuple[int, ...] | tuple[bool, ...] | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ValidRange:
    """requestPolicy.validRange."""

    min: Quantity | None = None
    max: Quantity | None = None
    step: Quantity | None = None


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """How a consumer may take of a capacity."""

    default: Quantity | None = None
    valid_values: tuple[Quantity, ...] = ()
    valid_range: ValidRange | None = None


@dataclass(frozen=True, slots=True)
class Capacity:
    """A capacity of a device: the amount, and how it may be requested if the device is shared."""

    value: Quantity
    policy: RequestPolicy | None = None


@dataclass(frozen=True, slots=True)
class CounterUse:
    """consumesCounters[]: what a device takes from one counter set."""

    counter_set: str
    counters: Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class CounterSet:
    """sharedCounters[]: a set of counters that devices of the pool draw on."""

    name: str
    counters: Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class DeviceTaint:
    """A taint of a device; effect None, NoSchedule or NoExecute (others are kept as they stand)."""

    key: str
    effect: str
    value: str = ""
    time_added: str | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """A device as its driver published it. Attribute and capacity names are as published, `domain/name` or `name`."""

    name: str
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    capacity: Mapping[str, Capacity] = field(default_factory=dict[str, Capacity])
    consumes: tuple[CounterUse, ...] = ()
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    taints: tuple[DeviceTaint, ...] = ()
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    allow_multiple: bool = False
    """allowMultipleAllocations: the device may be shared."""


@dataclass(frozen=True, slots=True)
class Slice:
    """A ResourceSlice: a part of one generation of one driver's pool."""

    meta: Meta
    driver: str
    pool: str
    generation: int = 1
    slice_count: int = 1
    """pool.resourceSliceCount: slices that the complete pool has."""
    node_name: str | None = None
    node_selector: NodeSelector | None = None
    all_nodes: bool | None = None
    per_device_node_selection: bool | None = None
    devices: tuple[Device, ...] = ()
    shared_counters: tuple[CounterSet, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class DeviceId:
    """Where a device lives: driver, pool, name."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        """As the scheduler's messages and our own print it."""
        return f"{self.driver}/{self.pool}/{self.device}"


@dataclass(frozen=True, slots=True)
class TaintRule:
    """A DeviceTaintRule: taints devices from outside the driver. None in a selector field: any."""

    meta: Meta
    taint: DeviceTaint
    driver: str | None = None
    pool: str | None = None
    device: str | None = None
