"""kubelet.sock: where device plugins register."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.rpc import add
from aliquot.node.protos.services import DEVICE_PLUGIN_API, REGISTER
from aliquot.sandbox.kubelet.device_plugins.names import is_extended_resource
from aliquot.sandbox.kubelet.device_plugins.resources import Resources

_AT_ONCE = 8


class RegistrationServer:
    """Serves from the moment it's made."""

    def __init__(self, socket: Path, resources: Resources) -> None:
        self._folder = socket.parent
        self._resources = resources
        self._server = grpc.server(ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="kubelet.sock"))
        add(self._server, [REGISTER.by(self._register)])
        self._server.add_insecure_port(f"unix:{socket}")
        self._server.start()

    def stop(self) -> None:
        """Serve no more."""
        self._server.stop(grace=None).wait()

    def _register(self, asked: pb.RegisterRequest, context: grpc.ServicerContext) -> pb.Empty:
        if asked.version != DEVICE_PLUGIN_API:
            context.abort(
                grpc.StatusCode.UNKNOWN,
                f'requested API version "{asked.version}" is not supported by kubelet. '
                f'Supported version is ["{DEVICE_PLUGIN_API}"]',
            )
        if not is_extended_resource(asked.resource_name):
            context.abort(grpc.StatusCode.UNKNOWN, f'the ResourceName "{asked.resource_name}" is invalid')
        # the endpoint is a base name in our folder; an absolute path would lead out of it
        fault = self._resources.add(asked.resource_name, f"{self._folder}/{asked.endpoint}")
        if fault is not None:
            context.abort(grpc.StatusCode.UNKNOWN, fault)
        return pb.Empty()
