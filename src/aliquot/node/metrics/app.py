"""The agent's pages: /metrics, /healthz and /readyz, as one WSGI application."""

import gzip
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder, gzip_accepted

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

Reasons = Callable[[], Sequence[str]]
"""Why not, in sentences; none: it is."""

PAGES: Final = "here are /metrics, /healthz and /readyz\n"


def pages(registry: CollectorRegistry, alive: Reasons, ready: Reasons) -> "WSGIApplication":
    """The application.

    Args:
        registry: what /metrics tells.
        alive: why the agent must be started anew.
        ready: why it can't do its work yet: the kubelet doesn't see it, nothing is published.
    """
    checks = {"/healthz": alive, "/readyz": ready}

    def application(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
        if path != "/metrics" and path not in checks:
            body = _said(start, "404 Not Found", PAGES)
        elif method not in {"GET", "HEAD"}:
            body = _said(start, "405 Method Not Allowed", "GET and HEAD only\n", ("Allow", "GET, HEAD"))
        elif path == "/metrics":
            body = _metrics(registry, environ, start)
        else:
            reasons = checks[path]()
            status = "503 Service Unavailable" if reasons else "200 OK"
            body = _said(start, status, "".join(f"{reason}\n" for reason in reasons) or "ok\n")
        return [b""] if method == "HEAD" else body

    return application


def _metrics(registry: CollectorRegistry, environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
    encode, kind = choose_encoder(environ.get("HTTP_ACCEPT", ""))
    data = encode(registry)
    about = [("Content-Type", kind)]
    if gzip_accepted(environ.get("HTTP_ACCEPT_ENCODING", "")):
        data = gzip.compress(data, compresslevel=1)
        about.append(("Content-Encoding", "gzip"))
    start("200 OK", [*about, ("Content-Length", str(len(data)))])
    return [data]


def _said(start: "StartResponse", status: str, text: str, *headers: tuple[str, str]) -> Iterable[bytes]:
    data = text.encode()
    about = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(data)))]
    start(status, [*about, *headers])
    return [data]
