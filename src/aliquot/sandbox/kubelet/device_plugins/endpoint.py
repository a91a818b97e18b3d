"""One device plugin's connection: what devices it has, and its calls."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import grpc

from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.rpc import dial
from aliquot.node.protos.services import ALLOCATE, HEALTHY, LIST_AND_WATCH, OPTIONS, PRE_START, PREFERRED
from aliquot.sandbox.kubelet.failures import failure
from aliquot.sandbox.kubelet.timing import Timing


@dataclass(frozen=True, slots=True)
class CountedDevice:
    """A device, as its plugin lists it."""

    healthy: bool
    numa: tuple[int, ...] = ()


class EndpointError(Exception):
    """A call of the plugin failed, in the kubelet's words."""


class Endpoint:
    """A plugin; `devices` is what it last listed, none of them healthy once its stream has ended."""

    def __init__(self, resource: str, socket: str, timing: Timing, registration: str = "") -> None:
        """`registration`: its socket in plugins_registry; empty: it came by kubelet.sock."""
        self.resource = resource
        self.socket = socket
        self.registration = registration
        self.devices: dict[str, CountedDevice] = {}
        self.pre_start = False
        self.ended_at: float | None = None
        """When the stream ended, by time.monotonic(); None: it runs."""
        self._preferred = False
        self._timing = timing
        self._channel = dial(socket)
        self._stream: grpc.Call | None = None
        self._thread: threading.Thread | None = None

    def connect(self) -> None:
        """Dial, and ask for the options: what counts is this answer, not what the registration said.

        Raises:
            EndpointError: there's nobody there, or no answer.
        """
        try:
            grpc.channel_ready_future(self._channel).result(timeout=self._timing.dial_s)
            options = OPTIONS.on(self._channel)(pb.Empty(), timeout=self._timing.call_s)
        except grpc.FutureTimeoutError:
            self._channel.close()
            raise EndpointError(f"failed to dial device plugin at {self.socket}: context deadline exceeded") from None
        except grpc.RpcError as error:
            self._channel.close()
            raise EndpointError(f"failed to get device plugin options: {failure(error)}") from error
        self.pre_start = options.pre_start_required
        self._preferred = options.get_preferred_allocation_available

    def watch(self) -> None:
        """Begin to follow the list."""
        stream = LIST_AND_WATCH.on(self._channel)(pb.Empty())
        self._stream = stream

        def follow() -> None:
            try:
                for message in stream:
                    self.devices = {
                        device.ID: CountedDevice(
                            device.health == HEALTHY, tuple(int(node.ID) for node in device.topology.nodes)
                        )
                        for device in message.devices
                    }
            except grpc.RpcError:
                pass  # the plugin is gone, or was stopped
            self.devices = {name: CountedDevice(False, device.numa) for name, device in self.devices.items()}
            self.ended_at = time.monotonic()

        self._thread = threading.Thread(target=follow, name=f"devices of {self.resource}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Hang up."""
        if self._stream is not None:
            self._stream.cancel()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self._channel.close()

    def prefer(self, available: Sequence[str], must: Sequence[str], size: int) -> list[str] | None:
        """Which devices the plugin would rather give; None: it has no preference.

        Raises:
            EndpointError: the call failed.
        """
        if not self._preferred:
            return None
        asked = pb.PreferredAllocationRequest(
            container_requests=[
                pb.ContainerPreferredAllocationRequest(
                    available_deviceIDs=available, must_include_deviceIDs=must, allocation_size=size
                )
            ]
        )
        try:
            answer = PREFERRED.on(self._channel)(asked, timeout=self._timing.call_s)
        except grpc.RpcError as error:
            message = f"device plugin GetPreferredAllocation rpc failed with err: {failure(error)}"
            raise EndpointError(message) from error
        return list(answer.container_responses[0].deviceIDs) if answer.container_responses else []

    def allocate(self, devices: Sequence[str]) -> pb.ContainerAllocateResponse:
        """What a container with these devices needs.

        Raises:
            EndpointError: the call failed.
        """
        asked = pb.AllocateRequest(container_requests=[pb.ContainerAllocateRequest(devices_ids=devices)])
        try:
            answer = ALLOCATE.on(self._channel)(asked, timeout=self._timing.call_s)
        except grpc.RpcError as error:
            raise EndpointError(failure(error)) from error
        if not answer.container_responses:
            raise EndpointError("no containers return in allocation response")
        return answer.container_responses[0]

    def start_container(self, devices: Sequence[str]) -> None:
        """Tell the plugin that a container with these devices is about to start.

        Raises:
            EndpointError: the call failed.
        """
        try:
            PRE_START.on(self._channel)(
                pb.PreStartContainerRequest(devices_ids=devices), timeout=self._timing.pre_start_s
            )
        except grpc.RpcError as error:
            message = f"device plugin PreStartContainer rpc failed with err: {failure(error)}"
            raise EndpointError(message) from error
