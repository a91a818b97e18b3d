"""What a kubelet shows of itself."""

from dataclasses import dataclass

from aliquot.node.protos.services import DEVICE_PLUGIN, DEVICE_PLUGIN_API, DRA_PLUGIN
from aliquot.sandbox.kubelet.dra.prepared import PreparedDevice
from aliquot.sandbox.kubelet.life import Life


@dataclass(frozen=True, slots=True)
class RegisteredPlugin:
    """A plugin."""

    kind: str
    """DRAPlugin or DevicePlugin."""
    name: str
    """Of the driver, or of the resource."""
    endpoint: str
    service: str
    """The version that is spoken: v1.DRAPlugin, v1beta1.DRAPlugin; of a device plugin v1beta1."""
    connected: bool
    socket: str = ""
    """Its registration socket; empty: it registered by kubelet.sock."""


@dataclass(frozen=True, slots=True)
class HeldClaim:
    """A claim that was asked for."""

    namespace: str
    name: str
    uid: str
    pods: tuple[str, ...]
    """UIDs."""
    prepared: bool
    """In this life of the kubelet."""
    devices: tuple[tuple[str, PreparedDevice], ...]
    """(driver, device)."""


def registered_plugins(life: Life) -> tuple[RegisteredPlugin, ...]:
    """DRA plugins in the order of their registration, then device plugins."""
    drivers = (
        RegisteredPlugin(DRA_PLUGIN, one.driver, one.endpoint, one.service, one.connected, one.registration)
        for one in life.plugins.all()
    )
    endpoints = [life.resources.endpoint(name) for name in life.resources.names()]
    counted = (
        RegisteredPlugin(
            DEVICE_PLUGIN, one.resource, one.socket, DEVICE_PLUGIN_API, one.ended_at is None, one.registration
        )
        for one in endpoints
        if one is not None
    )
    return (*drivers, *counted)


def held_claims(life: Life) -> tuple[HeldClaim, ...]:
    """By namespace and name."""
    with life.claims.lock:
        found = [
            HeldClaim(
                info.claim.namespace,
                info.claim.name,
                info.claim.uid,
                tuple(sorted(info.pods)),
                info.prepared,
                tuple((driver, device) for driver, devices in info.drivers.items() for device in devices),
            )
            for info in life.claims.all()
        ]
    return tuple(sorted(found, key=lambda one: (one.namespace, one.name)))
