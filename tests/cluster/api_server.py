"""A small API server for tests: answers lists and watches of given objects as a real one does, or with a fault.

What it copies of a real one (kube-apiserver 1.36): items of a typed list have no apiVersion and kind; pages by limit
and continue; a continue token or a watch's version that is too old is 410; metadata only where the Accept header asks
for it; unknown groups and kinds are 404; every change has a later resourceVersion.
"""

import json
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

Json = dict[str, Any]

PLURALS = {"PriorityClass": "priorityclasses", "DeviceClass": "deviceclasses", "StorageClass": "storageclasses"}


def plural(kind: str) -> str:
    return PLURALS.get(kind, kind.lower() + "s")


@dataclass(slots=True)
class Fault:
    """An answer instead of the right one, once."""

    status: int
    reason: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    seconds: float = 0
    """How long it takes."""
    body: bytes | None = None


@dataclass(slots=True)
class Asked:
    """A request that came."""

    path: str
    query: dict[str, str]
    headers: dict[str, str]


class ApiServer:
    """Use it as a context manager; `url` is where it listens."""

    def __init__(self, objects: Iterable[Json] = (), *, version: str = "v1.36.2") -> None:
        self.version = version
        self.objects: dict[str, dict[str, Json]] = defaultdict(dict)
        """Path of the collection -> namespace/name -> object."""
        self.kinds: dict[str, tuple[str, str]] = {"/api/v1/nodes": ("v1", "Node"), "/api/v1/pods": ("v1", "Pod")}
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        """Path -> faults that its next requests meet, in this order."""
        self.forbidden: set[str] = set()
        self.tokens: set[str] | None = None
        """Bearer tokens that are known; None: nobody is asked."""
        self.page = 10_000
        """Objects a page at most, whatever limit says."""
        self.prefix = ""
        """Of all paths."""
        self.asked: list[Asked] = []
        self.on_page: Callable[[Asked], None] = lambda _: None
        self._now = 1000
        self._oldest = 0
        self._log: list[tuple[int, str, str, Json]] = []
        self._changed = threading.Condition()
        self._stopping = False
        for thing in objects:
            self.put(thing)

    # --- the cluster ---------------------------------------------------------------------------------------------

    def serve(self, api_version: str, kind: str) -> str:
        """The path of a kind, which is served from now on even if it has no objects."""
        prefix = "/apis" if "/" in api_version else "/api"
        path = f"{prefix}/{api_version}/{plural(kind)}"
        self.kinds[path] = (api_version, kind)
        return path

    def put(self, thing: Json) -> None:
        path = self.serve(thing["apiVersion"], thing["kind"])
        with self._changed:
            self._now += 1
            stored = {**thing, "metadata": {**thing["metadata"], "resourceVersion": str(self._now)}}
            key = f"{stored['metadata'].get('namespace', '')}/{stored['metadata']['name']}"
            what = "MODIFIED" if key in self.objects[path] else "ADDED"
            self.objects[path][key] = stored
            self._log.append((self._now, path, what, stored))
            self._changed.notify_all()

    def delete(self, api_version: str, kind: str, namespace: str, name: str) -> None:
        path = self.serve(api_version, kind)
        with self._changed:
            self._now += 1
            gone = self.objects[path].pop(f"{namespace}/{name}")
            gone = {**gone, "metadata": {**gone["metadata"], "resourceVersion": str(self._now)}}
            self._log.append((self._now, path, "DELETED", gone))
            self._changed.notify_all()

    def compact(self) -> None:
        """Forget the past: every watch ends, and goes on only by a new list."""
        with self._changed:
            self._log.clear()
            self._now += 1
            self._oldest = self._now
            self._changed.notify_all()

    def watches(self, path: str) -> int:
        return sum(asked.path == path and "watch" in asked.query for asked in self.asked)

    def lists(self, path: str) -> int:
        return sum(asked.path == path and "watch" not in asked.query for asked in self.asked)

    # --- the server ----------------------------------------------------------------------------------------------

    def start(self, tls: ssl.SSLContext | None = None) -> Self:
        server = self

        handler = type("Handler", (_Handler,), {"api": server})
        self._http = _Server(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        if tls is not None:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True, do_handshake_on_connect=False)
        self.port: int = self._http.server_address[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._http.shutdown()
        self._http.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- answers -------------------------------------------------------------------------------------------------

    def groups(self) -> Json:
        found: dict[str, list[str]] = defaultdict(list)
        for version, _ in self.kinds.values():
            group, _, name = version.rpartition("/")
            if group and name not in found[group]:
                found[group].append(name)
        return {
            "kind": "APIGroupList",
            "apiVersion": "v1",
            "groups": [
                {"name": group, "versions": [{"groupVersion": f"{group}/{name}", "version": name} for name in names]}
                for group, names in found.items()
            ],
        }

    def page_of(self, path: str, query: dict[str, str], accept: str) -> Json | None:
        """None: the continue token has expired."""
        with self._changed:
            things = list(self.objects[path].values())
            start, at = 0, self._now
            if "continue" in query:
                start, at = map(int, query["continue"].split("."))
                if at < self._oldest:
                    return None
            end = start + min(int(query.get("limit", 10**9)), self.page)
            meta: Json = {"resourceVersion": str(at)}
            if end < len(things):
                meta |= {"continue": f"{end}.{at}", "remainingItemCount": len(things) - end}
            version, kind = self.kinds[path]
            if "as=PartialObjectMetadataList" in accept:
                partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1"}
                items = [{**partial, "metadata": thing["metadata"]} for thing in things[start:end]]
                return {
                    "kind": "PartialObjectMetadataList",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": meta,
                    "items": items,
                }
            bare = [
                {name: part for name, part in thing.items() if name not in {"kind", "apiVersion"}} for thing in things
            ]
            return {"kind": f"{kind}List", "apiVersion": version, "metadata": meta, "items": bare[start:end]}

    def events(self, path: str, since: int) -> Iterable[Json | None]:
        """None: nothing came for a moment."""
        kind = dict(zip(("apiVersion", "kind"), self.kinds[path], strict=True))
        while not self._stopping:
            with self._changed:
                if since < self._oldest:
                    yield {
                        "type": "ERROR",
                        "object": status(410, f"too old resource version: {since} ({self._oldest})"),
                    }
                    return
                fresh = [entry for entry in self._log if entry[0] > since]
                if not fresh:
                    self._changed.wait(0.1)
            for at, where, what, thing in fresh:
                since = at
                if where == path:
                    yield {"type": what, "object": {**kind, **thing}}
            if not fresh:
                yield None


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Clients may go away, and refuse certificates."""


def status(code: int, message: str) -> Json:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "code": code}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api: ApiServer

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        api = self.api
        path = parts.path.removeprefix(api.prefix)
        given = {name.title(): ", ".join(self.headers.get_all(name, [])) for name in self.headers}
        asked = Asked(path, query, given)
        api.asked.append(asked)
        if api.faults[path]:
            fault = api.faults[path].pop(0)
            time.sleep(fault.seconds)
            if fault.status:
                body = fault.body if fault.body is not None else json.dumps(status(fault.status, fault.reason)).encode()
                self._send(fault.status, body, fault.headers)
                return
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if api.tokens is not None and token not in api.tokens:
            self._send(401, status(401, "Unauthorized"))
        elif path in api.forbidden:
            self._send(
                403, status(403, f'User "jane" cannot list resource "{path.rpartition("/")[2]}" at the cluster scope')
            )
        elif path == "/version":
            self._send(200, {"major": "1", "minor": "36", "gitVersion": api.version})
        elif path == "/apis":
            self._send(200, api.groups())
        elif path not in api.kinds:
            self._send(404, b"404 page not found\n")
        elif query.get("watch") == "true":
            self._watch(path, int(query["resourceVersion"]))
        else:
            api.on_page(asked)
            page = api.page_of(path, query, self.headers.get("Accept", ""))
            if page is None:
                self._send(410, status(410, "The provided continue parameter is too old"))
            else:
                self._send(200, page)

    def _watch(self, path: str, since: int) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for event in self.api.events(path, since):
                if event is not None:
                    self._chunk(json.dumps(event).encode() + b"\n")
                if self.api.faults[path]:  # the connection breaks in the middle
                    self.close_connection = True
                    self.connection.close()
                    return
            self._chunk(b"")
        except OSError:
            self.close_connection = True

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def _send(self, code: int, body: Json | bytes, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "text/plain" if isinstance(body, bytes) else "application/json")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
