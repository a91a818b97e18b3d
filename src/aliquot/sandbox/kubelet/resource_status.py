"""What a pod's status says of its devices' health: containerStatuses[].allocatedResourcesStatus."""

from collections.abc import Iterator
from dataclasses import dataclass

from aliquot.dra.device import DeviceId
from aliquot.kube.pod import Container, Pod
from aliquot.sandbox.kubelet.device_plugins.allocations import Allocations
from aliquot.sandbox.kubelet.device_plugins.resources import Resources
from aliquot.sandbox.kubelet.dra.claims import Claims
from aliquot.sandbox.kubelet.dra.health import UNKNOWN, Health, HealthBook
from aliquot.sandbox.kubelet.dra.wanted import NotCreated, claim_names


@dataclass(frozen=True, slots=True)
class ResourceStatus:
    """One claim, or one resource, of a container."""

    name: str
    """`claim:NAME`, `claim:NAME/REQUEST`, or the resource's name."""
    devices: tuple[tuple[str, Health], ...]
    """A device is named by its first CDI name, else by DRIVER/POOL/DEVICE; one of a device plugin by its id."""


def status_of(
    pod: Pod, container: Container, claims: Claims, health: HealthBook, resources: Resources, allocations: Allocations
) -> tuple[ResourceStatus, ...]:
    """Of one container; entries without devices aren't there."""
    found = [*_of_claims(pod, container, claims, health), *_of_plugins(pod, container, resources, allocations)]
    return tuple(status for status in found if status.devices)


def _of_claims(pod: Pod, container: Container, claims: Claims, health: HealthBook) -> Iterator[ResourceStatus]:
    try:
        names = claim_names(pod)
    except NotCreated:
        return
    known = health.all()
    for use in container.claims:
        devices: dict[str, Health] = {}
        with claims.lock:
            info = claims.get(pod.namespace, names.get(use.name, ""))
            for driver, mine in info.drivers.items() if info is not None else ():
                for device in mine:
                    if use.request and device.requests and use.request.partition("/")[0] not in device.requests:
                        continue
                    resource_id = device.cdi_ids[0] if device.cdi_ids else f"{driver}/{device.pool}/{device.device}"
                    key = DeviceId(driver, device.pool, device.device)
                    devices.setdefault(resource_id, known.get(key, UNKNOWN))
        name = f"claim:{use.name}/{use.request}" if use.request else f"claim:{use.name}"
        yield ResourceStatus(name, tuple(devices.items()))


def _of_plugins(
    pod: Pod, container: Container, resources: Resources, allocations: Allocations
) -> Iterator[ResourceStatus]:
    for one in allocations.of_container(pod.meta.uid, container.name):
        devices = resources.devices(one.resource)
        words = {name: "Healthy" if device.healthy else "Unhealthy" for name, device in devices.items()}
        yield ResourceStatus(
            one.resource, tuple((name, Health(words.get(name, UNKNOWN.status))) for name in one.devices)
        )
