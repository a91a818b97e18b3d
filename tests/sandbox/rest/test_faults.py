"""A server that fails on demand, and a client that stands it."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aliquot.cluster.api import kube_objects
from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import NODES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.unavailable import UnavailableError
from aliquot.sandbox.rest.server import RestServer
from tests.cluster.objects.things import node

pytestmark = pytest.mark.enable_socket


@pytest.fixture(name="client")
def client_(server: RestServer, tmp_path: Path) -> Iterator[KubeCluster]:
    with Connection(account(None, server.kubeconfig(tmp_path / "config"))) as connection:
        yield KubeCluster(connection)


def test_down_and_up_again(client: KubeCluster, server: RestServer) -> None:
    client.create(NODES, node("n"))
    server.down()
    with pytest.raises(UnavailableError, match="connection refused"):
        client.get(NODES, "n")
    server.up()
    assert client.get(NODES, "n")["metadata"]["name"] == "n"


def test_a_write_waits_as_long_as_it_is_asked_to(client: KubeCluster, server: RestServer) -> None:
    server.faults.refuse(2, retry_after=0.2, method="POST")
    begun = time.monotonic()
    client.create(NODES, node("n"))
    assert time.monotonic() - begun > 0.4
    assert [method for method, _ in server.asked] == ["POST"] * 3


def test_a_write_that_may_have_been_made_is_not_made_again(client: KubeCluster, server: RestServer) -> None:
    server.faults.refuse(1, code=500, retry_after=None, method="POST")
    with pytest.raises(StatusError) as raised:
        client.create(NODES, node("n"))
    assert raised.value.temporary
    assert len(server.asked) == 1


def test_a_read_is_tried_again(client: KubeCluster, server: RestServer, memory: MemoryCluster) -> None:
    memory.create(NODES, node("n"))
    server.faults.refuse(1, code=500, retry_after=None, method="GET")
    assert client.get(NODES, "n")


def test_slow(client: KubeCluster, server: RestServer) -> None:
    server.faults.slow_seconds = 0.3
    begun = time.monotonic()
    client.create(NODES, node("n"))
    assert time.monotonic() - begun >= 0.3


def test_a_dropped_watch_raises(client: KubeCluster, server: RestServer, memory: MemoryCluster) -> None:
    begun = threading.Event()
    heard: list[object] = []

    def follow() -> None:
        try:
            with client.watch(NODES, since="1") as watch:
                for event in watch:
                    heard.append(event.what)
                    begun.set()
        except UnavailableError as error:
            heard.append(type(error))

    follower = threading.Thread(target=follow)
    follower.start()
    memory.create(NODES, node("n"))
    assert begun.wait(10)
    server.drop_watches()
    follower.join(10)
    assert not follower.is_alive()
    assert heard[0] == "ADDED"
    assert heard[-1] is UnavailableError


def test_a_list_that_expires_is_read_again(
    client: KubeCluster, memory: MemoryCluster, server: RestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index in range(5):
        memory.create(NODES, node(f"n{index}"))
    monkeypatch.setattr(kube_objects, "PAGE", 2)
    states = memory.states
    expiring = [True]

    def expire_once(*arguments: Any, version: int | None = None, **more: Any) -> Any:
        if version is not None and expiring:
            expiring.clear()
            memory.delete(NODES, "n0")
            memory.compact()
        return states(*arguments, version=version, **more)

    monkeypatch.setattr(memory, "states", expire_once)
    listing = client.list(NODES)
    assert [each["metadata"]["name"] for each in listing.items] == ["n1", "n2", "n3", "n4"]
    assert listing.resource_version == memory.list(NODES).resource_version
    assert len(server.asked) == 4  # a page, an expired one, two pages
