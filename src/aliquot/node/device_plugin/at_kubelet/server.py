"""One resource behind a socket: the five methods that a kubelet calls."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc

from aliquot.node.device_plugin.at_kubelet.feed import MOST_LISTENERS, Feed
from aliquot.node.device_plugin.at_kubelet.sockets import Identity, identity, listens
from aliquot.node.device_plugin.giving.answers import answer
from aliquot.node.device_plugin.giving.base import Base
from aliquot.node.device_plugin.giving.preferred import preferred
from aliquot.node.device_plugin.offering.resource import Resource
from aliquot.node.device_plugin.offering.settings import Settings
from aliquot.node.protos.generated import device_plugin_v1beta1_pb2 as pb
from aliquot.node.protos.rpc import add
from aliquot.node.protos.services import (
    ALLOCATE,
    HEALTHY,
    LIST_AND_WATCH,
    OPTIONS,
    PRE_START,
    PREFERRED,
    UNHEALTHY,
)

_THREADS: Final = MOST_LISTENERS + 8
OPTIONS_ANSWER: Final = pb.DevicePluginOptions(get_preferred_allocation_available=True)


@dataclass(frozen=True, slots=True)
class Served:
    """A resource, and what answers rest on."""

    resource: Resource
    settings: Settings
    base: Base


def listed(resource: Resource) -> pb.ListAndWatchResponse:
    """The devices as the kubelet is told of them."""
    return pb.ListAndWatchResponse(
        devices=[
            pb.Device(
                ID=name,
                health=HEALTHY if unit.fault is None else UNHEALTHY,
                topology=None if unit.numa is None else pb.TopologyInfo(nodes=[pb.NUMANode(ID=unit.numa)]),
            )
            for name, unit in resource.ids.items()
        ]
    )


class ResourceServer:
    """Serves a resource at a path. `tell`, `listeners` and `status` may be called from any thread."""

    def __init__(self, served: Served, path: Path) -> None:
        self.path = path
        self._served = served
        self._feed = Feed(listed(served.resource))
        self._server: grpc.Server | None = None
        self._identity: Identity | None = None
        self._has_served = False

    @property
    def served(self) -> Served:
        """What is served now."""
        return self._served

    @property
    def listeners(self) -> int:
        """How many follow the list."""
        return self._feed.listeners

    def tell(self, served: Served) -> bool:
        """Serve this from now on; whether the list has changed."""
        self._served = served
        return self._feed.tell(listed(served.resource))

    # --- its socket -----------------------------------------------------------------------------------------------
    @property
    def at_its_path(self) -> bool:
        """Whether the socket at the path is this one's: a kubelet that starts removes it."""
        return self._identity is not None and identity(self.path) == self._identity

    @property
    def superseded(self) -> bool:
        """Whether somebody else serves at the path since this one did: a newer agent, in a rolling update."""
        return self._has_served and not self.at_its_path and listens(self.path)

    def serve(self) -> None:
        """Serve at the path, in place of whatever is there.

        The socket is bound elsewhere and renamed: so nobody finds one that doesn't answer yet, and its end takes away
        no successor's.

        Raises:
            OSError: it can't be bound there.
        """
        self.hang_up()
        bound = self.path.with_name(f".{self.path.name}")
        bound.unlink(missing_ok=True)
        server = grpc.server(
            ThreadPoolExecutor(_THREADS, thread_name_prefix=self.path.name), options=(("grpc.so_reuseport", 0),)
        )
        add(
            server,
            [
                OPTIONS.by(lambda _asked, _context: OPTIONS_ANSWER),
                LIST_AND_WATCH.by(self._list),
                PREFERRED.by(self._prefer),
                ALLOCATE.by(self._allocate),
                PRE_START.by(lambda _asked, _context: pb.PreStartContainerResponse()),
            ],
        )
        try:
            server.add_insecure_port(f"unix:{bound}")
        except RuntimeError as error:  # gRPC's word for any failure of it
            raise OSError(f"no socket can be made there: {error}") from error
        server.start()
        self._server = server
        try:
            bound.chmod(0o600)
            bound.replace(self.path)
        except OSError:
            self.hang_up()
            raise
        self._identity, self._has_served = identity(self.path), True

    def hang_up(self) -> None:
        """Serve no more; the path is left as it is."""
        server, self._server = self._server, None
        if server is not None:
            server.stop(grace=None).wait()
        self._identity = None

    def stop(self, *, hear_s: float = 0.0) -> None:
        """Serve no more, and remove the socket where it's still this one's. `hear_s`: for the last list to be heard."""
        with suppress(OSError):  # a folder that can't be changed keeps a socket at which nobody listens
            if self.at_its_path:
                self.path.unlink()
        self._feed.close(hear_s)
        self.hang_up()

    # --- the methods ----------------------------------------------------------------------------------------------
    def _list(self, _asked: pb.Empty, context: grpc.ServicerContext) -> Iterator[pb.ListAndWatchResponse]:
        return self._feed.follow(context)

    def _prefer(
        self, asked: pb.PreferredAllocationRequest, _context: grpc.ServicerContext
    ) -> pb.PreferredAllocationResponse:
        served = self._served
        return pb.PreferredAllocationResponse(
            container_responses=[
                pb.ContainerPreferredAllocationResponse(
                    deviceIDs=preferred(
                        served.resource,
                        served.base.gpus,
                        served.settings.policy,
                        available=one.available_deviceIDs,
                        must=one.must_include_deviceIDs,
                        size=one.allocation_size,
                    )
                )
                for one in asked.container_requests
            ]
        )

    def _allocate(self, asked: pb.AllocateRequest, context: grpc.ServicerContext) -> pb.AllocateResponse:
        served = self._served
        answers: list[pb.ContainerAllocateResponse] = []
        for one in asked.container_requests:
            given = answer(served.resource, one.devices_ids, served.settings, served.base)
            if isinstance(given, str):
                context.abort(grpc.StatusCode.FAILED_PRECONDITION, given)
            else:
                answers.append(given)
        return pb.AllocateResponse(container_responses=answers)
