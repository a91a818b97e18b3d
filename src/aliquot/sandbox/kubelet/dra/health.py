"""The health of devices, as their drivers last told it."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from aliquot.dra.device import DeviceId
from aliquot.node.protos.generated import health_v1_pb2, health_v1alpha1_pb2

LONGEST_MESSAGE = 1024
WireHealth = health_v1_pb2.DeviceHealth | health_v1alpha1_pb2.DeviceHealth


@dataclass(frozen=True, slots=True)
class Health:
    """A device's health."""

    status: str
    """Healthy, Unhealthy or Unknown, as in a pod's status."""
    message: str = ""


UNKNOWN = Health("Unknown")
_WORDS = {int(health_v1_pb2.HEALTHY): "Healthy", int(health_v1_pb2.UNHEALTHY): "Unhealthy"}


class HealthBook:
    """What is known. A device that a driver hasn't told of for its time is unknown."""

    def __init__(self, stale_s: float, clock: Callable[[], float] = time.time) -> None:
        self._stale_s = stale_s
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[DeviceId, tuple[Health, float]] = {}

    def told(self, driver: str, devices: Iterable[WireHealth]) -> None:
        """A message of a driver's stream: the whole list. Devices that aren't in it stay until their time is up."""
        with self._lock:
            for device in devices:
                message = device.message
                if len(message) > LONGEST_MESSAGE:
                    message = message[: LONGEST_MESSAGE - 3] + "..."
                seconds = device.health_check_timeout_seconds
                key = DeviceId(driver, device.device.pool_name, device.device.device_name)
                until = device.last_updated_time + (seconds if seconds > 0 else self._stale_s)
                self._known[key] = Health(_WORDS.get(int(device.health), UNKNOWN.status), message), until

    def forget(self, driver: str) -> None:
        """Its stream has ended."""
        with self._lock:
            self._known = {key: value for key, value in self._known.items() if key.driver != driver}

    def of(self, device: DeviceId) -> Health:
        """A device's health now."""
        return self.all().get(device, UNKNOWN)

    def all(self) -> dict[DeviceId, Health]:
        """Every device that was told of."""
        now = self._clock()
        with self._lock:
            return {key: health if now <= until else UNKNOWN for key, (health, until) in self._known.items()}
