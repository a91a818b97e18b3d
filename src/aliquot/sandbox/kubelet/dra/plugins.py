"""The plugins of DRA drivers: taken, chosen from, and missed."""

import threading
import time

from aliquot.node.protos.services import HEALTH_V1
from aliquot.sandbox.kubelet.dra.health import HealthBook
from aliquot.sandbox.kubelet.dra.health_stream import HealthStream
from aliquot.sandbox.kubelet.dra.plugin import Plugin
from aliquot.sandbox.kubelet.registration.offer import Offer
from aliquot.sandbox.kubelet.speaks import Speaks
from aliquot.sandbox.kubelet.timing import Timing


class DraPlugins:
    """A `Taker` of DRAPlugin. A driver may have several plugins at a time, during a rolling update."""

    def __init__(self, speaks: Speaks, health: HealthBook, timing: Timing) -> None:
        self._speaks = speaks
        self._health = health
        self._timing = timing
        self._lock = threading.RLock()
        self._plugins: dict[str, list[tuple[Plugin, HealthStream | None]]] = {}
        self._missing: dict[str, float] = {}
        self._closing: list[threading.Thread] = []

    def validate(self, offer: Offer) -> str | None:
        """See `Taker`."""
        if self._service(offer) is not None:
            return None
        where = f"invalid supported gRPC versions of DRA driver plugin {offer.name} at endpoint {offer.endpoint}"
        if not offer.versions:
            return f"{where}: empty list of supported gRPC services (aka supported versions)"
        theirs, ours = _listed(offer.versions), _listed(self._speaks.dra)
        return f"{where}: none of services supported by the plugin ({theirs}) are supported by the kubelet ({ours})"

    def register(self, offer: Offer) -> str | None:
        """See `Taker`."""
        service = self._service(offer)
        if service is None:
            return self.validate(offer)
        with self._lock:
            mine = self._plugins.setdefault(offer.name, [])
            if any(plugin.endpoint == offer.endpoint for plugin, _ in mine):
                return f"endpoint {offer.endpoint} already registered for DRA driver plugin {offer.name}"
            if not self._speaks.rolling_update:
                for old in mine:
                    self._end(old)
                mine.clear()
            plugin = Plugin(offer, service, self._timing, self._note)
            mine.append((plugin, self._watch_health(plugin, offer)))
            self._note(offer.name)
            plugin.connect()
        return None

    def deregister(self, offer: Offer) -> None:
        """See `Taker`."""
        with self._lock:
            mine = self._plugins.get(offer.name, [])
            left = [one for one in mine if one[0].endpoint == offer.endpoint]
            self._plugins[offer.name] = [one for one in mine if one[0].endpoint != offer.endpoint]
            for one in left:
                self._end(one)
            self._note(offer.name)

    def stop(self) -> None:
        """Close all connections."""
        with self._lock:
            for mine in self._plugins.values():
                for one in mine:
                    self._end(one)
            self._plugins.clear()
            self._missing.clear()
        for thread in self._closing:
            thread.join()

    def get(self, driver: str) -> Plugin | None:
        """The plugin to ask: of those connected, else of all, the one that was registered last."""
        with self._lock:
            mine = [plugin for plugin, _ in self._plugins.get(driver, [])]
        return next((plugin for plugin in reversed(mine) if plugin.connected), mine[-1] if mine else None)

    def all(self) -> list[Plugin]:
        """Every plugin, driver by driver, in the order of registration."""
        with self._lock:
            return [plugin for _, mine in sorted(self._plugins.items()) for plugin, _ in mine]

    def due(self) -> list[str]:
        """Drivers that are away for so long that their slices go; each is told once for each time that it's lost."""
        now = time.monotonic()
        with self._lock:
            due = sorted(driver for driver, at in self._missing.items() if at <= now)
            for driver in due:
                self._missing[driver] = float("inf")
        return due

    def _note(self, driver: str) -> None:
        with self._lock:
            if any(plugin.connected for plugin, _ in self._plugins.get(driver, [])):
                self._missing.pop(driver, None)
            else:
                self._missing.setdefault(driver, time.monotonic() + self._timing.wipe_s)

    def _watch_health(self, plugin: Plugin, offer: Offer) -> HealthStream | None:
        """v1 where both know it; v1alpha1 is tried without being offered, as the kubelets that know it alone do."""
        services = [name for name in self._speaks.health if name != HEALTH_V1 or name in offer.versions]
        if not services:
            return None
        return HealthStream(plugin.channel, plugin.driver, services[0], self._health, self._timing.health_again_s)

    def _service(self, offer: Offer) -> str | None:
        """The first that the plugin offers of those that are spoken: its order counts."""
        return next((version for version in offer.versions if version in self._speaks.dra), None)

    def _end(self, one: tuple[Plugin, HealthStream | None]) -> None:
        plugin, stream = one
        if stream is not None:
            stream.stop()
        self._closing = [thread for thread in self._closing if thread.is_alive()] + [plugin.close()]


def _listed(names: tuple[str, ...]) -> str:
    return "[" + " ".join(f'"{name}"' for name in names) + "]"
