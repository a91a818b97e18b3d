"""A plugin's health stream, read for as long as the plugin is registered."""

import threading
from collections.abc import Iterator
from typing import Protocol

import grpc

from aliquot.node.protos.generated import health_v1_pb2, health_v1alpha1_pb2
from aliquot.node.protos.services import HEALTH_V1, WATCH_HEALTH_V1, WATCH_HEALTH_V1ALPHA1
from aliquot.sandbox.kubelet.dra.health import HealthBook

_Message = health_v1_pb2.NodeWatchResourcesResponse | health_v1alpha1_pb2.NodeWatchResourcesResponse


class _Stream(Protocol):
    """A call under way, of either version."""

    def __iter__(self) -> Iterator[_Message]: ...
    def cancel(self) -> object: ...


class HealthStream:
    """Begins when it's made; begins again `again_s` after every end, also of drivers that have no such stream."""

    def __init__(self, channel: grpc.Channel, driver: str, service: str, book: HealthBook, again_s: float) -> None:
        self._channel = channel
        self._driver = driver
        self._service = service
        self._book = book
        self._again_s = again_s
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._call: _Stream | None = None
        self._thread = threading.Thread(target=self._run, name=f"health of {driver}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read no more; nothing is known of the devices then."""
        with self._lock:
            self._ended.set()
            if self._call is not None:
                self._call.cancel()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self._read()
            except grpc.RpcError:
                pass  # the driver is away, ended the stream, or has none
            finally:
                self._book.forget(self._driver)
            self._ended.wait(self._again_s)

    def _read(self) -> None:
        with self._lock:
            if self._ended.is_set():
                return
            call = self._watch()
            self._call = call
        for message in call:
            self._book.told(self._driver, message.devices)

    def _watch(self) -> _Stream:
        if self._service == HEALTH_V1:
            return WATCH_HEALTH_V1.on(self._channel)(health_v1_pb2.NodeWatchResourcesRequest())
        return WATCH_HEALTH_V1ALPHA1.on(self._channel)(health_v1alpha1_pb2.NodeWatchResourcesRequest())
