"""The pod-resources socket: which container has which devices, for monitoring."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from aliquot.kube.pod import Container, Pod
from aliquot.node.protos.generated import pod_resources_v1_pb2 as pb
from aliquot.node.protos.rpc import add
from aliquot.node.protos.services import GET_ALLOCATABLE, GET_POD, LIST_PODS
from aliquot.sandbox.kubelet.device_plugins.allocations import Allocations
from aliquot.sandbox.kubelet.device_plugins.endpoint import CountedDevice
from aliquot.sandbox.kubelet.device_plugins.resources import Resources
from aliquot.sandbox.kubelet.dra.claims import ClaimInfo, Claims
from aliquot.sandbox.kubelet.dra.wanted import requests_of
from aliquot.sandbox.kubelet.speaks import Speaks

_AT_ONCE = 4


class PodResourcesServer:
    """Serves from the moment it's made."""

    def __init__(
        self,
        socket: Path,
        speaks: Speaks,
        pods: Callable[[], Iterable[Pod]],
        claims: Claims,
        resources: Resources,
        allocations: Allocations,
    ) -> None:
        """`pods`: those that run now."""
        self._speaks = speaks
        self._pods = pods
        self._claims = claims
        self._resources = resources
        self._allocations = allocations
        socket.unlink(missing_ok=True)
        self._server = grpc.server(ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="pod-resources"))
        add(self._server, [LIST_PODS.by(self._list), GET_POD.by(self._get), GET_ALLOCATABLE.by(self._allocatable)])
        self._server.add_insecure_port(f"unix:{socket}")
        self._server.start()

    def stop(self) -> None:
        """Serve no more."""
        self._server.stop(grace=None).wait()

    def _list(self, _asked: pb.ListPodResourcesRequest, _context: grpc.ServicerContext) -> pb.ListPodResourcesResponse:
        return pb.ListPodResourcesResponse(pod_resources=[self._pod(pod) for pod in self._pods()])

    def _get(self, asked: pb.GetPodResourcesRequest, context: grpc.ServicerContext) -> pb.GetPodResourcesResponse:
        if not self._speaks.get_pod_resources:
            context.abort(grpc.StatusCode.UNKNOWN, "PodResources API Get method disabled")
        for pod in self._pods():
            if (pod.namespace, pod.name) == (asked.pod_namespace, asked.pod_name):
                return pb.GetPodResourcesResponse(pod_resources=self._pod(pod))
        where = f"pod {asked.pod_name} in namespace {asked.pod_namespace}"
        context.abort(grpc.StatusCode.UNKNOWN, f"{where} not found")
        raise AssertionError("abort raises")

    def _allocatable(
        self, _asked: pb.AllocatableResourcesRequest, _context: grpc.ServicerContext
    ) -> pb.AllocatableResourcesResponse:
        return pb.AllocatableResourcesResponse(
            devices=[
                _one(resource, name, device)
                for resource in self._resources.names()
                for name, device in self._resources.devices(resource).items()
                if device.healthy
            ]
        )

    def _pod(self, pod: Pod) -> pb.PodResources:
        containers = [*(one for one in pod.init_containers if one.sidecar), *pod.containers]
        return pb.PodResources(
            name=pod.name, namespace=pod.namespace, containers=[self._container(pod, one) for one in containers]
        )

    def _container(self, pod: Pod, container: Container) -> pb.ContainerResources:
        had = self._allocations.of_container(pod.meta.uid, container.name)
        found = pb.ContainerResources(
            name=container.name,
            devices=[
                _one(one.resource, name, self._resources.devices(one.resource).get(name))
                for one in had
                for name in one.devices
            ],
        )
        if self._speaks.claims_in_pod_resources:
            with self._claims.lock:
                infos = [self._claims.get(pod.namespace, name) for name in requests_of(pod, container)]
                found.dynamic_resources.extend(_claim(info) for info in infos if info is not None)
        return found


def _one(resource: str, name: str, device: CountedDevice | None) -> pb.ContainerDevices:
    """Each device is an entry of its own."""
    topology = pb.TopologyInfo(nodes=[pb.NUMANode(ID=node) for node in device.numa]) if device and device.numa else None
    return pb.ContainerDevices(resource_name=resource, device_ids=[name], topology=topology)


def _claim(info: ClaimInfo) -> pb.DynamicResource:
    """All of a claim's devices, whichever of its requests the container uses.

    As in the real kubelet a device's CDI names hold those of the driver's devices before it, too: to find a device, go
    by its driver, pool and name.
    """
    found = pb.DynamicResource(claim_name=info.claim.name, claim_namespace=info.claim.namespace)
    for driver, devices in info.drivers.items():
        names: list[str] = []
        for device in devices:
            names += device.cdi_ids
            found.claim_resources.append(
                pb.ClaimResource(
                    cdi_devices=[pb.CDIDevice(name=name) for name in names],
                    driver_name=driver,
                    pool_name=device.pool,
                    device_name=device.device,
                    share_id=device.share_id,
                )
            )
    return found
