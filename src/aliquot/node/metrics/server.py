"""A small HTTP server for the agent's pages: a thread for each request, few at a time, none for long."""

import logging
import socket
import socketserver
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

_LOG: Final = logging.getLogger(__name__)
AT_ONCE: Final = 16
PATIENCE_S: Final = 10.0
"""For a client to send its request and to take its answer."""


class _Handler(WSGIRequestHandler):
    timeout = PATIENCE_S

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """At most for who looks for it."""
        _LOG.debug(format, *args)


class _Server(socketserver.ThreadingMixIn, WSGIServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = AT_ONCE

    def __init__(self, host: str, port: int) -> None:
        infos = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        self.address_family, _, _, _, address = infos[0]
        self._places = threading.BoundedSemaphore(AT_ONCE)
        super().__init__((str(address[0]), int(address[1])), _Handler)

    def server_bind(self) -> None:
        """Without the library's look-up of the machine's own name, which may take long."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])
        self.setup_environ()

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own, if there's a place for one more."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the library's signature
        """A client that went, or was too slow."""
        _LOG.debug("a request from %s failed", client_address, exc_info=True)


class PagesServer:
    """Serves in a `with`, or from `start` to `stop`."""

    def __init__(self, application: "WSGIApplication", host: str, port: int) -> None:
        """Listen, so that who starts the agent hears of a port that is taken.

        Args:
            application: what is served.
            host: an address of this machine; empty: all of them.
            port: 0: any that is free.

        Raises:
            OSError: it can't be listened there.
        """
        self._server = _Server(host, port)
        self._server.set_app(application)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, name="metrics", daemon=True
        )

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        return self._server.server_name, self._server.server_port

    def start(self) -> None:
        """Serve."""
        self._thread.start()

    def stop(self) -> None:
        """Serve no more; the port is free again."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
