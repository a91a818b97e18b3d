"""One DRA driver at its sockets, from start to stop."""

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aliquot.node.protos.services import DRA_V1, DRA_V1BETA1, HEALTH_V1, HEALTH_V1ALPHA1
from aliquot.node.serving.claims_service import ClaimsService
from aliquot.node.serving.door import Drives
from aliquot.node.serving.health_board import HealthBoard
from aliquot.node.serving.registration import Registration
from aliquot.node.serving.socket_server import GRACE_SECONDS, SocketServer
from aliquot.node.serving.sockets import dra_socket, registration_socket

VERSIONS: Final = (DRA_V1, DRA_V1BETA1, HEALTH_V1, HEALTH_V1ALPHA1)


@dataclass(frozen=True, slots=True)
class KubeletFolders:
    """A kubelet's root, which isn't /var/lib/kubelet everywhere."""

    root: Path

    @property
    def registry(self) -> Path:
        """Where it finds plugins."""
        return self.root / "plugins_registry"

    @property
    def plugins(self) -> Path:
        """Where they keep their things."""
        return self.root / "plugins"


class DraDriver:
    """Serves the kubelet for one driver; a context manager.

    Args:
        driver: its name.
        door: who prepares claims.
        folders: the kubelet's.
        pod_uid: of the agent's pod, where its successor may run beside it for a while (kubelet 1.33 and newer).

    Raises:
        ValueError: the folders' paths leave no room for sockets.
    """

    def __init__(self, driver: str, door: Drives, folders: KubeletFolders, *, pod_uid: str = "") -> None:
        self.driver = driver
        self.health = HealthBoard()
        self._claims = ClaimsService(door)
        endpoint = dra_socket(folders.plugins, driver, pod_uid)
        self.registration = Registration(driver, endpoint, VERSIONS)
        self._dra = SocketServer(
            endpoint, (*self._claims.implementations(), *self.health.implementations(), self.registration.who())
        )
        self._door_bell = SocketServer(
            registration_socket(folders.registry, driver, pod_uid), self.registration.implementations()
        )

    def start(self) -> None:
        """Serve; the kubelet finds what it can call.

        Raises:
            OSError: a socket can't be made.
        """
        self._dra.start()
        try:
            self._door_bell.start()
        except OSError:
            self._dra.stop(0)
            raise

    def restore(self) -> bool:
        """Sockets that somebody took away are made anew; whether there were any.

        Raises:
            OSError: one can't be made.
        """
        gone = [server for server in (self._dra, self._door_bell) if not server.in_place]
        for server in gone:
            server.restart()
        return bool(gone)

    def stop(self, grace_s: float = GRACE_SECONDS) -> None:
        """End: the kubelet is told by the socket that goes first; claims that are being prepared come to their end."""
        self._door_bell.stop(0)
        self.health.end()
        self._dra.stop(grace_s)
        self._claims.end()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
