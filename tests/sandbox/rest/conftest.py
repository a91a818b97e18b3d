"""A server over an empty cluster, and what a bare HTTP client gets from it."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.sandbox.rest.server import RestServer


@pytest.fixture
def memory() -> MemoryCluster:
    return MemoryCluster(bookmark_seconds=0.2)


@pytest.fixture
def server(memory: MemoryCluster) -> Iterator[RestServer]:
    with RestServer(memory) as server:
        yield server


@pytest.fixture
def ask(server: RestServer) -> Iterator[Callable[..., httpx2.Response]]:
    with httpx2.Client(trust_env=False) as client:

        def asked(method: str, path: str, body: Any = None, content: str = "application/json") -> httpx2.Response:
            headers = {"Content-Type": content, "User-Agent": "tests/1"}
            return client.request(method, server.url + path, json=body, headers=headers)

        yield asked
