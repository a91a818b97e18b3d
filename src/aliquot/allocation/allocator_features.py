"""What an allocator may use: the features that a release's gates switch on, and which implementation they choose.

Upstream keeps three implementations of one contract. The first one, in the order stable, incubating, experimental,
that supports every enabled feature is used (k8s.io/dynamic-resource-allocation, structured.NewAllocator).
"""

from dataclasses import dataclass
from typing import Final, Literal

from aliquot.kube.release import Kubernetes

Implementation = Literal["stable", "incubating", "experimental"]
IMPLEMENTATIONS: Final[tuple[Implementation, ...]] = ("stable", "incubating", "experimental")


@dataclass(frozen=True, slots=True)
class Features:
    """Optional behaviour of an allocator. All off: what structured parameters could do in 1.32."""

    admin_access: bool = False
    consumable_capacity: bool = False
    binding_conditions: bool = False
    """Needs two gates: DRADeviceBindingConditions and DRAResourceClaimDeviceStatus."""
    device_taints: bool = False
    list_attributes: bool = False
    partitionable_devices: bool = False
    prioritized_list: bool = False
    fractional_range: bool = False
    """From 1.37: steps of a capacity may be fractions."""


def features_of(kubernetes: Kubernetes) -> Features:
    """Returns what kube-scheduler of a release hands to its allocator.

    1.36 never hands on list attributes, gate or no gate (a defect of its own: the CEL part has them).
    """
    on = kubernetes.on
    return Features(
        admin_access=on("DRAAdminAccess"),
        consumable_capacity=on("DRAConsumableCapacity"),
        binding_conditions=on("DRADeviceBindingConditions") and on("DRAResourceClaimDeviceStatus"),
        device_taints=on("DRADeviceTaints"),
        list_attributes=on("DRAListTypeAttributes") and kubernetes.minor >= 37,
        partitionable_devices=on("DRAPartitionableDevices"),
        prioritized_list=on("DRAPrioritizedList"),
        fractional_range=on("DRAFractionalCapacityRange"),
    )


def supports(implementation: Implementation, features: Features) -> bool:
    """Says whether an implementation supports everything that is enabled."""
    beyond_stable = features.consumable_capacity or features.binding_conditions or features.fractional_range
    match implementation:
        case "stable":
            return not (beyond_stable or features.list_attributes)
        case "incubating":
            return not features.list_attributes
        case "experimental":
            return True


def implementation_of(features: Features) -> Implementation:
    """Returns the implementation that upstream takes for these features."""
    return next(name for name in IMPLEMENTATIONS if supports(name, features))
