"""What the API server lets into a ResourceSlice, release by release.

Source: k8s.io/api/resource/v1 and its validation, 1.34 to 1.37. Until 1.34 counters stand in the slice of the devices
that draw on them; from 1.35 on they must stand in slices of their own.
"""

from dataclasses import dataclass
from typing import Final

from aliquot.kube.release import Kubernetes

MOST_TEXT: Final = 64
"""Letters of a string or version value."""
MOST_FACTS: Final = 32
"""Attributes and capacities of a device together."""
MOST_COUNTERS: Final = 32
"""Counters of a set, and those that a device takes of one."""
MOST_CONDITIONS: Final = 4
"""Binding conditions of a device; as many again for its failure conditions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceLimits:
    """The limits that differ between releases; None: no limit of this kind."""

    devices: int
    """Devices of a slice, whatever they have."""
    taints: int
    """Taints of a device."""
    counters_apart: bool
    """Whether counter sets and devices stand in different slices."""
    sets: int | None = None
    """Counter sets of a slice."""
    sets_drawn_on: int | None = None
    """Counter sets that a device draws on."""
    counters_in_slice: int | None = None
    """Counters of all sets of a slice together."""
    counters_of_device: int | None = None
    """Counters that a device takes of all sets together."""
    counter_uses: int | None = None
    """Counters that all devices of a slice take together."""


TOGETHER: Final = SliceLimits(
    devices=128, taints=4, counters_apart=False, counters_in_slice=32, counters_of_device=32, counter_uses=1024
)
APART: Final = SliceLimits(devices=64, taints=16, counters_apart=True, sets=8, sets_drawn_on=2)
"""128 devices are allowed where none has taints, counters or lists. That isn't used: the first taint would then move
half of a slice's devices into another one."""


def limits_of(kubernetes: Kubernetes) -> SliceLimits:
    """The limits of a release."""
    return APART if kubernetes.minor >= 35 else TOGETHER
