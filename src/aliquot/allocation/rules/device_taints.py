"""Device taints and who tolerates them (upstream's resourceclaim.ToleratesTaint)."""

from collections.abc import Sequence

from aliquot.dra.claim import DeviceToleration
from aliquot.dra.device import Device, DeviceTaint


def tolerates(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    """Says whether one toleration tolerates one taint, whatever the taint's effect."""
    if toleration.effect not in ("", taint.effect) or toleration.key not in ("", taint.key):
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case _:
            return False


def blocking_taints(device: Device, tolerations: Sequence[DeviceToleration]) -> tuple[DeviceTaint, ...]:
    """Returns the taints that keep a request off a device: NoSchedule and NoExecute, not tolerated."""
    return tuple(
        taint
        for taint in device.taints
        if taint.effect in ("NoSchedule", "NoExecute")
        and not any(tolerates(toleration, taint) for toleration in tolerations)
    )
