"""How the devices are, told to every kubelet that listens: at once when it changes, and again before it grows stale."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import grpc

from aliquot.node.protos.generated import health_v1_pb2 as health
from aliquot.node.protos.rpc import Implementation
from aliquot.node.protos.services import WATCH_HEALTH_V1, WATCH_HEALTH_V1ALPHA1

STALE_SECONDS: Final = 30
"""After so long without a word the kubelet holds a device's health for unknown."""
AGAIN_SECONDS: Final = 10.0
LONGEST_MESSAGE: Final = 1024
"""Bytes."""


class Health(IntEnum):
    """As the protocol numbers it."""

    UNKNOWN = 0
    HEALTHY = 1
    UNHEALTHY = 2


@dataclass(frozen=True, slots=True)
class DeviceHealth:
    """One device, as it is."""

    health: Health
    since: int
    """When that was found, in seconds since 1970."""
    message: str = ""


Key = tuple[str, str]
"""(pool, device)."""


class HealthBoard:
    """The health of one driver's devices.

    Args:
        now: seconds since 1970.
        again_s: after how long it's told again, though nothing changed.
    """

    def __init__(self, now: Callable[[], float] = time.time, again_s: float = AGAIN_SECONDS) -> None:
        self._now, self._again = now, again_s
        self._changed = threading.Condition()
        self._devices: Mapping[Key, DeviceHealth] = {}
        self._told = 0
        self._ended = False

    def tell(self, devices: Mapping[Key, tuple[Health, str]]) -> None:
        """How all devices are now, each with a word about it; the time of one that is as it was stays."""
        now = int(self._now())
        with self._changed:
            known = self._devices
            new = {key: _after(known.get(key), health, message, now) for key, (health, message) in devices.items()}
            if new != known:
                self._devices, self._told = new, self._told + 1
                self._changed.notify_all()

    @property
    def devices(self) -> Mapping[Key, DeviceHealth]:
        """As last told."""
        return self._devices

    def end(self) -> None:
        """No stream goes on."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def implementations(self) -> tuple[Implementation, ...]:
        """The streams of both versions, whose messages are the same on the wire."""
        older = replace(WATCH_HEALTH_V1, path=WATCH_HEALTH_V1ALPHA1.path)
        return (WATCH_HEALTH_V1.by(self._stream), older.by(self._stream))

    def _stream(
        self, _: health.NodeWatchResourcesRequest, context: grpc.ServicerContext
    ) -> Iterator[health.NodeWatchResourcesResponse]:
        for devices in self._lists(context):
            yield health.NodeWatchResourcesResponse(
                devices=[
                    health.DeviceHealth(
                        device=health.DeviceIdentifier(pool_name=pool, device_name=name),
                        health=health.HealthStatus.Name(one.health),
                        last_updated_time=int(self._now()),
                        health_check_timeout_seconds=STALE_SECONDS,
                        message=one.message,
                    )
                    for (pool, name), one in devices
                ]
            )

    def _lists(self, context: grpc.ServicerContext) -> Iterator[Iterable[tuple[Key, DeviceHealth]]]:
        """The complete list, first at once."""
        seen = -1
        while context.is_active():
            with self._changed:
                if self._told == seen and not self._ended:
                    self._changed.wait(self._again)
                if self._ended:
                    return
                seen, devices = self._told, self._devices
            yield sorted(devices.items())


def _after(before: DeviceHealth | None, health: Health, message: str, now: int) -> DeviceHealth:
    told = message.encode()[:LONGEST_MESSAGE].decode(errors="ignore")
    since = before.since if before is not None and before.health is health else now
    return DeviceHealth(health, since, told)
