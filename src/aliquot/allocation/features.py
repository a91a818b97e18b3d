"""What an allocator may use: features, the gates of each Kubernetes version, and which implementation they choose.

Upstream keeps three implementations of one contract. The first one, in the order stable, incubating, experimental,
that supports every enabled feature is used (k8s.io/dynamic-resource-allocation, structured.NewAllocator).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

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


@dataclass(frozen=True, slots=True)
class VersionedFeatures:
    """The features of a Kubernetes version; `verified`: its answers were compared with the real allocator."""

    features: Features
    verified: bool


GATES: Final[Mapping[str, Mapping[str, bool]]] = {
    "1.34": {
        "DRAAdminAccess": True,
        "DRAPrioritizedList": True,
        "DRAResourceClaimDeviceStatus": True,
        "DRAPartitionableDevices": False,
        "DRADeviceTaints": False,
        "DRAConsumableCapacity": False,
        "DRADeviceBindingConditions": False,
        "DRAExtendedResource": False,
        "DRASchedulerFilterTimeout": True,
    },
    "1.35": {
        "DRAAdminAccess": True,
        "DRAPrioritizedList": True,
        "DRAResourceClaimDeviceStatus": True,
        "DRAPartitionableDevices": False,
        "DRADeviceTaints": False,
        "DRADeviceTaintRules": False,
        "DRAConsumableCapacity": False,
        "DRADeviceBindingConditions": False,
        "DRAExtendedResource": False,
        "DRASchedulerFilterTimeout": True,
    },
    "1.36": {
        "DRAAdminAccess": True,
        "DRAPrioritizedList": True,
        "DRAResourceClaimDeviceStatus": True,
        "DRAPartitionableDevices": True,
        "DRADeviceTaints": True,
        "DRADeviceTaintRules": False,
        "DRAConsumableCapacity": True,
        "DRADeviceBindingConditions": True,
        "DRAExtendedResource": True,
        "DRASchedulerFilterTimeout": True,
        "DRAListTypeAttributes": False,
    },
    "1.37": {
        "DRAAdminAccess": True,
        "DRAPrioritizedList": True,
        "DRAResourceClaimDeviceStatus": True,
        "DRAPartitionableDevices": True,
        "DRADeviceTaints": True,
        "DRADeviceTaintRules": True,
        "DRAConsumableCapacity": True,
        "DRADeviceBindingConditions": True,
        "DRAExtendedResource": True,
        "DRASchedulerFilterTimeout": True,
        "DRAListTypeAttributes": False,
        "DRAFractionalCapacityRange": True,
    },
}
"""Version -> gate -> default (../shared/facts/dra.md, section 5). A gate that is absent doesn't exist there."""

VERIFIED: Final = ("1.36", "1.37")
NEWEST: Final = "1.37"
DEFAULT_VERSION: Final = "1.36"


def gates_of(version: str, changed: Mapping[str, bool] | None = None) -> Mapping[str, bool]:
    """Returns the gates of a Kubernetes version ("1.36", "v1.36.2"), with some changed by the cluster's owner.

    A version older than the table reads as its oldest row, a newer one as its newest.
    """
    known = sorted(GATES, key=_number)
    wanted = _number(version)
    row = known[0]
    for candidate in known:
        if _number(candidate) <= wanted:
            row = candidate
    return {**GATES[row], **(changed or {})}


def features_of(version: str, changed: Mapping[str, bool] | None = None) -> VersionedFeatures:
    """Returns what kube-scheduler of this version hands to its allocator.

    1.36 never hands on list attributes, gate or no gate (a defect of its own: the CEL part has them).
    """
    gates = gates_of(version, changed)

    def on(name: str) -> bool:
        return gates.get(name, False)

    return VersionedFeatures(
        Features(
            admin_access=on("DRAAdminAccess"),
            consumable_capacity=on("DRAConsumableCapacity"),
            binding_conditions=on("DRADeviceBindingConditions") and on("DRAResourceClaimDeviceStatus"),
            device_taints=on("DRADeviceTaints"),
            list_attributes=on("DRAListTypeAttributes") and _number(version) >= (1, 37),
            partitionable_devices=on("DRAPartitionableDevices"),
            prioritized_list=on("DRAPrioritizedList"),
            fractional_range=on("DRAFractionalCapacityRange"),
        ),
        verified=".".join(str(part) for part in _number(version)) in VERIFIED,
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


def _number(version: str) -> tuple[int, int]:
    parts = version.strip().removeprefix("v").split(".")
    major, minor = parts[0], parts[1] if len(parts) > 1 else "0"
    digits = "".join(character for character in minor if character.isdigit())
    return int(major), int(digits or "0")
