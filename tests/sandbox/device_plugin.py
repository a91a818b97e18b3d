"""A small device plugin behind a real socket, for tests: it does as it's told, and keeps what it was asked."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc

from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.generated import registration_v1_pb2 as registration
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import (
    ALLOCATE,
    DEVICE_PLUGIN,
    DEVICE_PLUGIN_API,
    GET_INFO,
    HEALTHY,
    LIST_AND_WATCH,
    NOTIFY,
    OPTIONS,
    PRE_START,
    PREFERRED,
    REGISTER,
    UNHEALTHY,
)
from tests.sandbox.driver import serve

RESOURCE = "nvidia.com/gpu"
Allocate = Callable[[tuple[str, ...]], pb.ContainerAllocateResponse]


def visible(devices: tuple[str, ...]) -> pb.ContainerAllocateResponse:
    """The names in an environment variable."""
    return pb.ContainerAllocateResponse(envs={"VISIBLE": ",".join(devices)})


class DevicePlugin:
    """Use it in a `with`: it serves then, and registers when it's told to."""

    def __init__(self, root: Path, *devices: str, resource: str = RESOURCE, socket: str = "gpu.sock") -> None:
        self.resource = resource
        self.kubelet = root / "device-plugins/kubelet.sock"
        self.socket = root / "device-plugins" / socket
        self.registration = root / "plugins_registry" / f"{socket}-reg.sock"
        self.options = pb.DevicePluginOptions()
        self.devices = [pb.Device(ID=name, health=HEALTHY) for name in devices]
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        self.preferences: list[tuple[tuple[str, ...], tuple[str, ...], int]] = []
        """(available, must include, size)"""
        self.prefers: Sequence[str] = ()
        self.allocate: Allocate = visible
        self.fault: dict[str, str] = {}
        """Method -> error that it answers."""
        self.told: list[tuple[bool, str]] = []
        self._changed = threading.Condition()
        self._said = 1
        self._serves = False
        self._servers: list[tuple[grpc.Server, Path]] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Serve; nobody knows yet."""
        self._serves = True
        implementations = [
            OPTIONS.by(self._options),
            LIST_AND_WATCH.by(self._list),
            PREFERRED.by(self._prefer),
            ALLOCATE.by(self._allocate),
            PRE_START.by(self._pre_start),
        ]
        self._servers.append((serve(self.socket, implementations), self.socket))

    def register(self, version: str = DEVICE_PLUGIN_API) -> None:
        """At kubelet.sock.

        Raises:
            grpc.RpcError: the kubelet refused.
        """
        asked = pb.RegisterRequest(version=version, endpoint=self.socket.name, resource_name=self.resource)
        with dial(str(self.kubelet)) as channel:
            REGISTER.on(channel)(asked, timeout=10, wait_for_ready=True)

    def show(self) -> None:
        """Register by a socket in plugins_registry instead."""
        info = registration.PluginInfo(
            type=DEVICE_PLUGIN, name=self.resource, endpoint=str(self.socket), supported_versions=[DEVICE_PLUGIN_API]
        )

        def notify(
            asked: registration.RegistrationStatus, _context: grpc.ServicerContext
        ) -> registration.RegistrationStatusResponse:
            self.told.append((asked.plugin_registered, asked.error))
            return registration.RegistrationStatusResponse()

        server = serve(self.registration, [GET_INFO.by(lambda _asked, _context: info), NOTIFY.by(notify)])
        self._servers.append((server, self.registration))

    def stop(self) -> None:
        """A graceful end: no socket is left."""
        for _, path in self._servers:
            path.unlink(missing_ok=True)
        with self._changed:
            self._serves = False
            self._changed.notify_all()
        for server, _ in reversed(self._servers):
            server.stop(grace=None).wait()
        self._servers.clear()

    def list(self, **healthy: bool) -> None:
        """Tell a new list, by id."""
        with self._changed:
            self.devices = [pb.Device(ID=name, health=HEALTHY if good else UNHEALTHY) for name, good in healthy.items()]
            self._said += 1
            self._changed.notify_all()

    def _options(self, _asked: pb.Empty, context: grpc.ServicerContext) -> pb.DevicePluginOptions:
        self._check("options", context)
        return self.options

    def _list(self, _asked: pb.Empty, context: grpc.ServicerContext) -> Iterator[pb.ListAndWatchResponse]:
        heard = 0
        while context.is_active():
            with self._changed:
                fresh, heard = self._said > heard, self._said
                devices = list(self.devices)
            if fresh:
                yield pb.ListAndWatchResponse(devices=devices)
            with self._changed:
                if not self._serves:
                    return
                if self._said == heard:
                    self._changed.wait(timeout=0.05)

    def _prefer(
        self, asked: pb.PreferredAllocationRequest, context: grpc.ServicerContext
    ) -> pb.PreferredAllocationResponse:
        self._check("prefer", context)
        one = asked.container_requests[0]
        self.preferences.append(
            (tuple(one.available_deviceIDs), tuple(one.must_include_deviceIDs), one.allocation_size)
        )
        return pb.PreferredAllocationResponse(
            container_responses=[pb.ContainerPreferredAllocationResponse(deviceIDs=self.prefers)]
        )

    def _allocate(self, asked: pb.AllocateRequest, context: grpc.ServicerContext) -> pb.AllocateResponse:
        self._check("allocate", context)
        devices = tuple(asked.container_requests[0].devices_ids)
        self.asked.append(("allocate", devices))
        return pb.AllocateResponse(container_responses=[self.allocate(devices)])

    def _pre_start(
        self, asked: pb.PreStartContainerRequest, context: grpc.ServicerContext
    ) -> pb.PreStartContainerResponse:
        self.asked.append(("pre-start", tuple(asked.devices_ids)))
        self._check("pre-start", context)
        return pb.PreStartContainerResponse()

    def _check(self, method: str, context: grpc.ServicerContext) -> None:
        if method in self.fault:
            context.abort(grpc.StatusCode.UNKNOWN, self.fault[method])
