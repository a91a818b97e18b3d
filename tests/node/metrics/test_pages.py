"""/healthz, /readyz, and everything that isn't a page."""

import gzip
import http.client
import socket
import threading
import time
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry, Gauge

from aliquot.node.metrics import server as module
from aliquot.node.metrics.app import pages
from aliquot.node.metrics.server import PagesServer

pytestmark = pytest.mark.enable_socket


class Agent:
    def __init__(self) -> None:
        self.alive: list[str] = []
        self.ready: list[str] = ["the kubelet hasn't registered gpu.nvidia.com", "nothing is published yet"]


@pytest.fixture
def agent() -> Agent:
    return Agent()


@pytest.fixture
def server(agent: Agent) -> Iterator[PagesServer]:
    registry = CollectorRegistry()
    Gauge("answer", "To everything.", registry=registry).set(42)
    with PagesServer(pages(registry, lambda: agent.alive, lambda: agent.ready), "127.0.0.1", 0) as serving:
        yield serving


def ask(
    server: PagesServer, path: str, method: str = "GET", headers: dict[str, str] | None = None
) -> tuple[int, str, http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(*server.address, timeout=10)
    connection.request(method, path, headers=headers or {})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    text = gzip.decompress(body) if answer.getheader("Content-Encoding") == "gzip" else body
    return answer.status, text.decode(), answer


def test_reasons(server: PagesServer, agent: Agent) -> None:
    assert ask(server, "/healthz")[:2] == (200, "ok\n")
    assert ask(server, "/readyz")[:2] == (
        503,
        "the kubelet hasn't registered gpu.nvidia.com\nnothing is published yet\n",
    )
    agent.ready.clear()
    agent.alive.append("the socket of gpu.nvidia.com is gone")
    assert ask(server, "/readyz")[:2] == (200, "ok\n")
    assert ask(server, "/healthz")[:2] == (503, "the socket of gpu.nvidia.com is gone\n")


@pytest.mark.parametrize("path", ["/", "/metrics/", "/favicon.ico", "/healthz/../metrics", "/%2e/metrics"])
def test_nothing_else_is_there(server: PagesServer, path: str) -> None:
    assert ask(server, path)[:2] == (404, "here are /metrics, /healthz and /readyz\n")


def test_metrics(server: PagesServer) -> None:
    status, text, answer = ask(server, "/metrics?x=1", headers={"Accept-Encoding": "gzip"})
    assert (status, text) == (200, "# HELP answer To everything.\n# TYPE answer gauge\nanswer 42.0\n")
    assert answer.getheader("Content-Encoding") == "gzip"
    assert (answer.getheader("Content-Type") or "").startswith("text/plain; version=")
    status, text, answer = ask(server, "/metrics", "HEAD")
    assert (status, text, answer.getheader("Content-Length")) == (200, "", "61")


@pytest.mark.parametrize("path", ["/metrics", "/healthz", "/readyz"])
def test_only_to_be_read(server: PagesServer, path: str) -> None:
    status, text, answer = ask(server, path, "POST")
    assert (status, text, answer.getheader("Allow")) == (405, "GET and HEAD only\n", "GET, HEAD")


def test_it_stops_and_its_port_is_free(server: PagesServer) -> None:
    port = server.address[1]
    with pytest.raises(OSError, match="in use"):
        PagesServer(pages(CollectorRegistry(), list, list), "127.0.0.1", port)
    server.stop()
    with PagesServer(pages(CollectorRegistry(), list, list), "127.0.0.1", port) as again:
        assert ask(again, "/healthz")[0] == 200
    never = PagesServer(pages(CollectorRegistry(), list, list), "127.0.0.1", port)
    never.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "metrics"]


def test_slow_clients_keep_nobody_out_for_long(server: PagesServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._Handler, "timeout", 0.3)
    slow = [socket.create_connection(server.address) for _ in range(module.AT_ONCE)]
    for one in slow:
        one.sendall(b"GET /metr")
    until = time.monotonic() + 10
    while True:
        try:
            assert ask(server, "/healthz")[0] == 200
            break
        except (http.client.HTTPException, ConnectionError):
            assert time.monotonic() < until
            time.sleep(0.05)
    for one in slow:
        one.close()


def test_ipv6() -> None:
    try:
        serving = PagesServer(pages(CollectorRegistry(), list, list), "::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with serving:
        assert ask(serving, "/healthz")[0] == 200
