"""A small DRA driver behind real sockets, for tests: it does as it's told, and keeps what it was asked."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

import grpc

from aliquot.node.protos.generated import dra_v1_pb2 as v1
from aliquot.node.protos.generated import dra_v1beta1_pb2 as v1beta1
from aliquot.node.protos.generated import health_v1_pb2, health_v1alpha1_pb2
from aliquot.node.protos.generated import registration_v1_pb2 as registration
from aliquot.node.protos.rpc import Implementation, add
from aliquot.node.protos.services import (
    DRA_PLUGIN,
    DRA_V1,
    DRA_V1BETA1,
    GET_INFO,
    HEALTH_V1,
    HEALTH_V1ALPHA1,
    NOTIFY,
    PREPARE_V1,
    PREPARE_V1BETA1,
    UNPREPARE_V1,
    UNPREPARE_V1BETA1,
    WATCH_HEALTH_V1,
    WATCH_HEALTH_V1ALPHA1,
)
from aliquot.sandbox.kubelet.kubelet import Kubelet

GPU = "gpu.example.com"
Prepare = Callable[[v1.NodePrepareResourcesRequest], v1.NodePrepareResourcesResponse]
Unprepare = Callable[[tuple[str, ...]], dict[str, str]]
"""UIDs -> errors by UID, empty where it went well."""


def whole(request: v1.NodePrepareResourcesRequest) -> v1.NodePrepareResourcesResponse:
    """Each claim has one device, for all its requests."""
    return v1.NodePrepareResourcesResponse(
        claims={
            claim.uid: v1.NodePrepareResourceResponse(
                devices=[v1.Device(pool_name="n1", device_name="gpu-0", cdi_device_ids=[f"{GPU}/claim={claim.uid}"])]
            )
            for claim in request.claims
        }
    )


def unheld(uids: tuple[str, ...]) -> dict[str, str]:
    """Nothing is in the way."""
    return dict.fromkeys(uids, "")


def serve(path: Path, implementations: list[Implementation]) -> grpc.Server:
    """Serve at a path; the socket stays there when the server ends, since gRPC takes away only what it has bound."""
    path.parent.mkdir(parents=True, exist_ok=True)
    bound = path.with_name(f".{path.name}")
    server = grpc.server(ThreadPoolExecutor(8))
    add(server, implementations)
    server.add_insecure_port(f"unix:{bound}")
    server.start()
    path.unlink(missing_ok=True)
    path.hardlink_to(bound)
    return server


def ready(kubelet: Kubelet, plugins: int = 1) -> None:
    """Wait until so many plugins are registered and connected."""
    assert kubelet.wait(lambda: sum(plugin.connected for plugin in kubelet.plugins()) == plugins), kubelet.plugins()


class Driver:
    """One plugin of a driver. Use it in a `with`, or call `start`, and one of `stop` and `die`."""

    def __init__(
        self,
        root: Path,
        name: str = GPU,
        versions: Sequence[str] = (DRA_V1, DRA_V1BETA1),
        *,
        kind: str = DRA_PLUGIN,
        instance: str = "",
        endpoint: str | None = None,
        registry: str = "",
    ) -> None:
        """`instance`: a suffix for its sockets, as in a rolling update. `endpoint`: what it says of itself."""
        self.name, self.versions, self.kind = name, versions, kind
        middle = f"-{instance}" if instance else ""
        self.registration = root / "plugins_registry" / registry / f"{name}{middle}-reg.sock"
        self.socket = root / "plugins" / name / f"dra{middle}.sock"
        self.endpoint = str(self.socket) if endpoint is None else endpoint
        self.told: list[tuple[bool, str]] = []
        self.mute = False
        """GetInfo fails."""
        self.asked: list[tuple[str, tuple[str, ...]]] = []
        """(what: prepare or unprepare, version; UIDs)"""
        self.prepare: Prepare = whole
        self.unprepare: Unprepare = unheld
        self.health: list[health_v1_pb2.DeviceHealth] = []
        self.health_streams: list[str] = []
        self._changed = threading.Condition()
        self._said = 0
        self._serves = False
        self._servers: list[tuple[grpc.Server, Path]] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, *, only_registration: bool = False) -> None:
        """Serve: the DRA socket first."""
        self._serves = True
        dra = [
            PREPARE_V1.by(self._prepare_v1),
            UNPREPARE_V1.by(self._unprepare_v1),
            PREPARE_V1BETA1.by(self._prepare_v1beta1),
            UNPREPARE_V1BETA1.by(self._unprepare_v1beta1),
        ]
        if HEALTH_V1 in self.versions:
            dra.append(WATCH_HEALTH_V1.by(self._health_v1))
        if HEALTH_V1ALPHA1 in self.versions:
            dra.append(WATCH_HEALTH_V1ALPHA1.by(self._health_v1alpha1))
        if not only_registration:
            self._serve(self.socket, dra)
        self._serve(self.registration, [GET_INFO.by(self._info), NOTIFY.by(self._notify)])

    def stop(self) -> None:
        """A graceful end: no socket is left."""
        for _, path in self._servers:
            path.unlink()
        self._end()

    def die(self) -> None:
        """As kill -9 would: nobody serves any more, and the sockets stay."""
        self._end()

    def tell_health(self, *devices: health_v1_pb2.DeviceHealth) -> None:
        """Send the list on all streams."""
        with self._changed:
            self.health = list(devices)
            self._said += 1
            self._changed.notify_all()

    def _serve(self, path: Path, implementations: list[Implementation]) -> None:
        self._servers.append((serve(path, implementations), path))

    def _end(self) -> None:
        with self._changed:
            self._serves = False
            self._changed.notify_all()
        for server, _ in reversed(self._servers):
            server.stop(grace=None).wait()
        self._servers.clear()

    def _info(self, _asked: registration.InfoRequest, context: grpc.ServicerContext) -> registration.PluginInfo:
        if self.mute:
            context.abort(grpc.StatusCode.INTERNAL, "not ready")
        return registration.PluginInfo(
            type=self.kind, name=self.name, endpoint=self.endpoint, supported_versions=self.versions
        )

    def _notify(
        self, asked: registration.RegistrationStatus, _context: grpc.ServicerContext
    ) -> registration.RegistrationStatusResponse:
        self.told.append((asked.plugin_registered, asked.error))
        return registration.RegistrationStatusResponse()

    def _prepare_v1(
        self, asked: v1.NodePrepareResourcesRequest, context: grpc.ServicerContext
    ) -> v1.NodePrepareResourcesResponse:
        self.asked.append(("prepare v1", tuple(claim.uid for claim in asked.claims)))
        return self._guarded(asked, context)

    def _prepare_v1beta1(
        self, asked: v1beta1.NodePrepareResourcesRequest, context: grpc.ServicerContext
    ) -> v1beta1.NodePrepareResourcesResponse:
        self.asked.append(("prepare v1beta1", tuple(claim.uid for claim in asked.claims)))
        newer = v1.NodePrepareResourcesRequest.FromString(asked.SerializeToString())
        return v1beta1.NodePrepareResourcesResponse.FromString(self._guarded(newer, context).SerializeToString())

    def _guarded(
        self, asked: v1.NodePrepareResourcesRequest, context: grpc.ServicerContext
    ) -> v1.NodePrepareResourcesResponse:
        try:
            return self.prepare(asked)
        except ValueError as error:
            context.abort(grpc.StatusCode.INTERNAL, str(error))
            raise AssertionError from error

    def _unprepare_v1(
        self, asked: v1.NodeUnprepareResourcesRequest, _context: grpc.ServicerContext
    ) -> v1.NodeUnprepareResourcesResponse:
        uids = tuple(claim.uid for claim in asked.claims)
        self.asked.append(("unprepare v1", uids))
        answers = self.unprepare(uids).items()
        return v1.NodeUnprepareResourcesResponse(
            claims={uid: v1.NodeUnprepareResourceResponse(error=error) for uid, error in answers}
        )

    def _unprepare_v1beta1(
        self, asked: v1beta1.NodeUnprepareResourcesRequest, _context: grpc.ServicerContext
    ) -> v1beta1.NodeUnprepareResourcesResponse:
        uids = tuple(claim.uid for claim in asked.claims)
        self.asked.append(("unprepare v1beta1", uids))
        answers = self.unprepare(uids).items()
        return v1beta1.NodeUnprepareResourcesResponse(
            claims={uid: v1beta1.NodeUnprepareResourceResponse(error=error) for uid, error in answers}
        )

    def _health_v1(
        self, _asked: health_v1_pb2.NodeWatchResourcesRequest, context: grpc.ServicerContext
    ) -> Iterator[health_v1_pb2.NodeWatchResourcesResponse]:
        self.health_streams.append(HEALTH_V1)
        for devices in self._lists(context):
            yield health_v1_pb2.NodeWatchResourcesResponse(devices=devices)

    def _health_v1alpha1(
        self, _asked: health_v1alpha1_pb2.NodeWatchResourcesRequest, context: grpc.ServicerContext
    ) -> Iterator[health_v1alpha1_pb2.NodeWatchResourcesResponse]:
        self.health_streams.append(HEALTH_V1ALPHA1)
        for devices in self._lists(context):
            newer = health_v1_pb2.NodeWatchResourcesResponse(devices=devices)
            yield health_v1alpha1_pb2.NodeWatchResourcesResponse.FromString(newer.SerializeToString())

    def _lists(self, context: grpc.ServicerContext) -> Iterator[list[health_v1_pb2.DeviceHealth]]:
        heard = 0
        while context.is_active():
            with self._changed:
                self._changed.wait(timeout=0.05)
                if not self._serves:
                    return
                fresh, heard = self._said > heard, self._said
                devices = list(self.health)
            if fresh:
                yield devices
