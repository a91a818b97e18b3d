"""A pod's start: devices at admission, claims before its containers, and what each container gets."""

from aliquot.cdi.annotations import requested_devices
from aliquot.cdi.machine.folders import Folders
from aliquot.kube.pod import Container, Pod
from aliquot.sandbox.kubelet.answers import Admitted, ContainerGets, NotAdmitted
from aliquot.sandbox.kubelet.api import Api
from aliquot.sandbox.kubelet.device_plugins.allocate import allocate
from aliquot.sandbox.kubelet.device_plugins.endpoint import EndpointError
from aliquot.sandbox.kubelet.device_plugins.merged import merged
from aliquot.sandbox.kubelet.dra.prepare import prepare
from aliquot.sandbox.kubelet.dra.wanted import requests_of
from aliquot.sandbox.kubelet.life import Life

_CONTAINER_ERROR = "CreateContainerError"


def admit(pod: Pod, life: Life, api: Api, cdi: Folders | None, *, running: bool) -> Admitted | NotAdmitted:
    """One try. `running`: its containers run already, and only the kubelet is new: they keep their devices."""
    fault = None if running else allocate(pod, life.resources, life.allocations)
    if fault is not None:
        return NotAdmitted(
            "UnexpectedAdmissionError", f"Allocate failed due to {fault}, which is unexpected", final=True
        )
    fault = prepare(pod, life.claims, life.plugins, api)
    if fault is not None:
        message = f"Failed to prepare dynamic resources: prepare dynamic resources: {fault}"
        return NotAdmitted("FailedPrepareDynamicResources", message)
    found: dict[str, ContainerGets] = {}
    for container in (*pod.init_containers, *pod.containers):
        if not running and (fault := _before_start(pod, container, life)) is not None:
            return NotAdmitted(_CONTAINER_ERROR, fault)
        gets = container_gets(pod, container, life)
        if not running and cdi is not None and (fault := _unresolved(gets, cdi)) is not None:
            return NotAdmitted(_CONTAINER_ERROR, fault)
        found[container.name] = gets
    return Admitted(found)


def container_gets(pod: Pod, container: Container, life: Life) -> ContainerGets:
    """What a container of a prepared pod gets."""
    names: list[str] = []
    with life.claims.lock:
        for claim, requests in requests_of(pod, container).items():
            info = life.claims.get(pod.namespace, claim)
            if info is not None:
                names += (name for request in requests for name in info.cdi_ids(request))
    had = life.allocations.of_container(pod.meta.uid, container.name)
    return merged(names, (one.gives for one in had))


def _before_start(pod: Pod, container: Container, life: Life) -> str | None:
    for one in life.allocations.of_container(pod.meta.uid, container.name):
        endpoint = life.resources.endpoint(one.resource)
        try:
            if endpoint is not None and endpoint.pre_start:
                endpoint.start_container(one.devices)
        except EndpointError as error:
            return str(error)
    return None


def _unresolved(gets: ContainerGets, cdi: Folders) -> str | None:
    """What the container runtime says of CDI names that no spec has: the claim is fine, the container isn't."""
    known = cdi.registry().devices
    asked = dict.fromkeys((*gets.cdi_devices, *requested_devices(gets.annotations)))
    unknown = [name for name in asked if name not in known]
    return f"CDI device injection failed: unresolvable CDI devices {', '.join(unknown)}" if unknown else None
