"""The feature gates that matter here, and their defaults from release to release.

Source: kubernetes/kubernetes, pkg/features/kube_features.go, of 1.34 to 1.37.
"""

from collections.abc import Mapping
from typing import Final

FIRST_WITH_GATES: Final = 34
"""The first with resource.k8s.io/v1; what is older reads the gates as it does."""

GATES: Final[Mapping[str, tuple[tuple[int, bool], ...]]] = {
    "DRAAdminAccess": ((34, True),),
    "DRAPrioritizedList": ((34, True),),
    "DRAResourceClaimDeviceStatus": ((34, True),),
    "DRASchedulerFilterTimeout": ((34, True),),
    "DRAPartitionableDevices": ((34, False), (36, True)),
    "DRADeviceTaints": ((34, False), (36, True)),
    "DRADeviceTaintRules": ((35, False), (37, True)),
    "DRAConsumableCapacity": ((34, False), (36, True)),
    "DRADeviceBindingConditions": ((34, False), (36, True)),
    "DRAExtendedResource": ((34, False), (36, True)),
    "DRAListTypeAttributes": ((36, False),),
    "DRAFractionalCapacityRange": ((37, True),),
    "NodeDeclaredFeatures": ((35, False), (36, True)),
}
"""Gate -> (minor, default from there on). Before the first it doesn't exist."""


def default_of(gate: str, minor: int) -> bool | None:
    """What a gate is in 1.`minor` when nobody changes it; None: that release doesn't have it."""
    here = max(minor, FIRST_WITH_GATES)
    found = None
    for since, value in GATES.get(gate, ()):
        if since <= here:
            found = value
    return found
