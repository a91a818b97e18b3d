"""A gRPC server on a Unix socket that is there only while it's served, and that only root may open."""

import secrets
import stat
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import grpc

from aliquot.node.protos.rpc import Implementation, add

WORKERS: Final = 32
"""Calls at a time: two streams a kubelet, and claims."""
GRACE_SECONDS: Final = 40.0
"""Less than the kubelet waits for an answer (45 s)."""


class SocketServer:
    """Serves at a path; one that is there already, left by a process that died, is replaced.

    The socket is bound under a hidden name, which the kubelet passes over, and takes its place when it's served: who
    finds it can call it. gRPC takes away only the name that it has bound, so a successor's socket stays.

    Args:
        path: the socket.
        implementations: what's served.
    """

    def __init__(self, path: Path, implementations: Iterable[Implementation]) -> None:
        self.path = path
        self._implementations = tuple(implementations)
        self._server: grpc.Server | None = None
        self._inode: tuple[int, int] | None = None

    def start(self) -> None:
        """Serve.

        Raises:
            OSError: the folder can't be written.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        hidden = self.path.with_name(f".{secrets.token_hex(3)}")
        server = grpc.server(ThreadPoolExecutor(WORKERS, thread_name_prefix=self.path.name))
        add(server, self._implementations)
        try:
            server.add_insecure_port(f"unix:{hidden}")
            hidden.chmod(stat.S_IRUSR | stat.S_IWUSR)
            server.start()
            status = hidden.stat()
            hidden.replace(self.path)
        except (OSError, RuntimeError) as error:
            server.stop(None)
            with suppress(OSError):
                hidden.unlink()
            raise OSError(f"can't serve at {self.path}: {error}") from error
        self._server, self._inode = server, (status.st_dev, status.st_ino)

    @property
    def in_place(self) -> bool:
        """Whether the socket at the path is this one's: folders get wiped."""
        with suppress(OSError):
            status = self.path.lstat()
            return (status.st_dev, status.st_ino) == self._inode
        return False

    def restart(self) -> None:
        """Serve anew, where the socket is gone; calls that run go on."""
        before = self._server
        self.start()
        if before is not None:
            before.stop(GRACE_SECONDS)

    def withdraw(self) -> None:
        """Take the socket away, if it's still this one's; who has connected is still served."""
        if self.in_place:
            with suppress(OSError):
                self.path.unlink()

    def stop(self, grace_s: float) -> None:
        """End; calls that run have so long to come to their end."""
        self.withdraw()
        server, self._server = self._server, None
        if server is not None:
            server.stop(grace_s).wait()
