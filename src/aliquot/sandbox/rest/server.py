"""The HTTP server."""

import contextlib
import secrets
import socket
import threading
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import parse_qsl, urlsplit

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.status import StatusError
from aliquot.sandbox.rest.bodies import Answer, Stream, answer, refusal
from aliquot.sandbox.rest.discovery import discovered
from aliquot.sandbox.rest.faults import Faults
from aliquot.sandbox.rest.kubeconfig import write_kubeconfig
from aliquot.sandbox.rest.paths import place_of
from aliquot.sandbox.rest.reading import read
from aliquot.sandbox.rest.writing import write

REMEMBERED = 10_000
"""Requests that `asked` remembers."""


class RestServer:
    """An API server on 127.0.0.1 over a cluster in memory; a context manager.

    Args:
        cluster: what it serves.
        port: 0: any that is free.
        secret: the first part of every path, by which clients are let in (client-go sends no token over plain HTTP);
            without one it makes one up.
    """

    def __init__(self, cluster: MemoryCluster, *, port: int = 0, secret: str = "") -> None:
        self.cluster = cluster
        self.secret = secret or secrets.token_urlsafe(16)
        self.faults = Faults()
        self.asked: deque[tuple[str, str]] = deque(maxlen=REMEMBERED)
        """(Method, path with its query, without the secret) of the requests that came, the latest last."""
        self._port = port
        self._http: _Server | None = None

    @property
    def url(self) -> str:
        """Where it listens; known once it was up."""
        return f"http://127.0.0.1:{self._port}/{self.secret}"

    def kubeconfig(self, path: Path) -> Path:
        """Write a kubeconfig that leads here."""
        return write_kubeconfig(path, self.url)

    def up(self) -> None:
        """Listen, again on the same port if it was down."""
        if self._http is None:
            self._http = _Server(self, self._port)
            self._port = self._http.server_address[1]
            threading.Thread(
                target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="sandbox.rest", daemon=True
            ).start()

    def down(self) -> None:
        """As if it had crashed: connections break, new ones are refused; what was written stays."""
        http, self._http = self._http, None
        if http is not None:
            http.shutdown()
            http.server_close()
            http.break_all()

    def drop_watches(self) -> None:
        """Break the connections on which watches run, as a load balancer does."""
        if self._http is not None:
            self._http.break_all(only_watches=True)

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, rest: RestServer, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.rest = rest
        self._lock = threading.Lock()
        self._open: dict[socket.socket, Any] = {}
        """Connections -> what ends the watch on each, if one runs."""

    def opened(self, connection: socket.socket, close: Any = None) -> None:
        with self._lock:
            self._open[connection] = close

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.pop(connection, None)

    def break_all(self, *, only_watches: bool = False) -> None:
        with self._lock:
            found = [(one, close) for one, close in self._open.items() if close is not None or not only_watches]
        for connection, close in found:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            if close is not None:
                close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients may go away."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body in one packet

    @property
    def _http(self) -> _Server:
        return cast("_Server", self.server)

    @property
    def _rest(self) -> RestServer:
        return self._http.rest

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """Nothing is logged."""

    def setup(self) -> None:
        super().setup()
        self._http.opened(self.connection)

    def finish(self) -> None:
        self._http.closed(self.connection)
        try:
            with contextlib.suppress(OSError):  # what is left to send can't be sent to who has gone
                super().finish()
        finally:
            self.rfile.close()

    def _any(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            reply = self._reply(self._admitted(), body)
        except StatusError as error:
            reply = refusal(error)
        if isinstance(reply, Stream):
            self._stream(reply)
        else:
            self._send(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _any  # noqa: N815 - the standard library's names

    def _admitted(self) -> str:
        """The path without the secret.

        Raises:
            StatusError: 401: the client doesn't know it.
        """
        secret, _, path = self.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(secret.encode(), self._rest.secret.encode()):
            raise StatusError(401, "the path begins with another secret than this sandbox's")
        self._rest.asked.append((self.command, f"/{path}"))
        return f"/{path}"

    def _reply(self, path: str, body: bytes) -> Answer | Stream:
        self._rest.faults.meet(self.command)
        cluster, asked = self._rest.cluster, urlsplit(path)
        if self.command == "GET" and asked.path in {"/healthz", "/livez", "/readyz"}:
            return Answer(200, b"ok", content="text/plain")
        query = dict(parse_qsl(asked.query))
        place = place_of(asked.path, cluster.resources)
        if place is None:
            found = discovered(asked.path, cluster) if self.command == "GET" else None
            if found is None:
                return Answer(404, b"404 page not found\n", content="text/plain")
            return answer(found)
        if self.command == "GET":
            return read(cluster, place, query)
        content, agent = self.headers.get("Content-Type", ""), self.headers.get("User-Agent", "")
        return write(cluster, self.command, place, query, body, content, agent)

    def _send(self, reply: Answer) -> None:
        self.send_response(reply.code)
        self.send_header("Content-Type", reply.content)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body)
        self.wfile.flush()

    def _stream(self, reply: Stream) -> None:
        self._http.opened(self.connection, reply.close)
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.flush()
            for line in reply.lines:
                self._chunk(line)
            self._chunk(b"")
        except OSError:
            self.close_connection = True
        finally:
            reply.close()
            self._http.opened(self.connection)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()
