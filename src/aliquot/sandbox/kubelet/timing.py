"""How long the kubelet waits, in seconds."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The defaults are the real kubelet's own; tests and demos wait less, and nothing else differs."""

    look_s: float = 1.0
    """Between looks at plugins_registry (the real one is told by inotify, and acts once a second)."""
    info_s: float = 1.0
    """For GetInfo, once the socket was dialled."""
    dial_s: float = 10.0
    call_s: float = 45.0
    """For NodePrepareResources and NodeUnprepareResources. The calls of device plugins, which have no limit in the real
    kubelet, have this one, too."""
    pre_start_s: float = 30.0
    retry_first_s: float = 0.5
    """After a registration that failed; doubled up to `retry_most_s`."""
    retry_most_s: float = 122.0
    reconnect_s: float = 1.0
    """Between tries to reach a DRA plugin that was lost."""
    wipe_s: float = 30.0
    """From the loss of a driver's last plugin until its ResourceSlices are deleted."""
    wipe_again_s: float = 1.0
    """After a wipe that failed; doubled, up to five minutes."""
    health_again_s: float = 5.0
    """After a health stream that ended."""
    health_stale_s: float = 30.0
    """A device's health counts so long, where its driver doesn't say how long."""
    pod_again_s: float = 10.0
    """Between tries to start or to end a pod."""
    tidy_s: float = 60.0
    """Between looks for claims whose pods are gone."""
    resource_gone_s: float = 300.0
    """From the loss of a device plugin until its resource is no longer counted."""


KUBELETS: Final = Timing()
BRISK: Final = Timing(
    look_s=0.02,
    dial_s=1.0,
    retry_first_s=0.05,
    retry_most_s=0.4,
    reconnect_s=0.1,
    wipe_s=0.5,
    wipe_again_s=0.05,
    health_again_s=0.1,
    pod_again_s=0.05,
    tidy_s=0.3,
)
"""For tests and demos. The limits of calls are the real ones."""
