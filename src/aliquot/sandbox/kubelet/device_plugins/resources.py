"""The resources that device plugins have registered, and their devices."""

import threading
import time
from collections.abc import Iterable

from aliquot.node.protos.services import DEVICE_PLUGIN_API
from aliquot.sandbox.kubelet.device_plugins.endpoint import CountedDevice, Endpoint, EndpointError
from aliquot.sandbox.kubelet.device_plugins.names import is_extended_resource
from aliquot.sandbox.kubelet.registration.offer import Offer
from aliquot.sandbox.kubelet.timing import Timing


class Resources:
    """A `Taker` of DevicePlugin; most plugins come by kubelet.sock, though."""

    def __init__(self, timing: Timing, known: Iterable[str]) -> None:
        """`known`: resources that an earlier run counted; they have no devices before their plugin is back."""
        self._timing = timing
        self._lock = threading.RLock()
        self._endpoints: dict[str, Endpoint] = {}
        self._waiting = {resource: time.monotonic() for resource in known}

    def validate(self, offer: Offer) -> str | None:
        """See `Taker`."""
        if DEVICE_PLUGIN_API not in offer.versions:
            theirs = " ".join(offer.versions)
            return (
                f"manager supported version [{DEVICE_PLUGIN_API}] and plugin supported versions [{theirs}] don't match"
            )
        if not is_extended_resource(offer.name):
            return f"invalid name of device plugin socket: the ResourceName {offer.name!r} is invalid"
        return None

    def register(self, offer: Offer) -> str | None:
        """See `Taker`."""
        return self.add(offer.name, offer.endpoint, offer.socket)

    def deregister(self, offer: Offer) -> None:
        """See `Taker`."""
        with self._lock:
            endpoint = self._endpoints.get(offer.name)
        if endpoint is not None and endpoint.socket == offer.endpoint:
            endpoint.stop()

    def add(self, resource: str, socket: str, registration: str = "") -> str | None:
        """A plugin, in place of the resource's earlier one."""
        endpoint = Endpoint(resource, socket, self._timing, registration)
        try:
            endpoint.connect()
        except EndpointError as error:
            return str(error)
        with self._lock:
            before = self._endpoints.get(resource)
            if before is not None:
                endpoint.devices = before.devices  # until the new one lists its own
            self._endpoints[resource] = endpoint
            self._waiting.pop(resource, None)
        if before is not None:
            before.stop()
        endpoint.watch()
        return None

    def stop(self) -> None:
        """Hang up on all."""
        with self._lock:
            endpoints = list(self._endpoints.values())
        for endpoint in endpoints:
            endpoint.stop()

    def endpoint(self, resource: str) -> Endpoint | None:
        """The plugin of a resource; None: it isn't back since the kubelet started, or there's none."""
        with self._lock:
            return self._endpoints.get(resource)

    def counted(self, resource: str) -> bool:
        """Whether it's a resource of device plugins: one that isn't is passed over, as nothing of this node."""
        return resource in self.names()

    def names(self) -> list[str]:
        """The resources that are counted: a lost one for a while after its plugin's end."""
        since = time.monotonic() - self._timing.resource_gone_s
        with self._lock:
            lost = {name: endpoint.ended_at for name, endpoint in self._endpoints.items()}
            return sorted(name for name, at in {**lost, **self._waiting}.items() if at is None or at > since)

    def devices(self, resource: str) -> dict[str, CountedDevice]:
        """By their ids."""
        endpoint = self.endpoint(resource)
        return dict(sorted(endpoint.devices.items())) if endpoint is not None else {}
