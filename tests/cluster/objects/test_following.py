"""A collection is kept up to date through whatever happens to the server."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.following import Followed
from aliquot.cluster.objects.resources import NODES
from aliquot.cluster.protocol import WritableCluster
from aliquot.sandbox.rest.server import RestServer
from tests.cluster.objects.things import eventually, node

pytestmark = pytest.mark.enable_socket


@pytest.fixture(name="server")
def server_(memory: MemoryCluster) -> Iterator[RestServer]:
    with RestServer(memory) as server:
        yield server


@pytest.fixture(name="client")
def client_(server: RestServer, tmp_path: Path) -> Iterator[KubeCluster]:
    with Connection(account(None, server.kubeconfig(tmp_path / "config"))) as connection:
        yield KubeCluster(connection)


def names(followed: Followed) -> list[str]:
    return sorted(name for _, name in followed.things)


def test_it_lists_then_hears_of_changes(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(f"{name}-0", labels={"of": name}))
    woken = threading.Event()
    with Followed(cluster, NODES, labels=f"of={name}", changed=woken.set) as followed:
        assert followed.listed.wait(10)
        assert names(followed) == [f"{name}-0"]
        woken.clear()
        cluster.create(NODES, node(f"{name}-1", labels={"of": name}))
        assert woken.wait(10)
        eventually(lambda: names(followed) == [f"{name}-0", f"{name}-1"])
        cluster.delete(NODES, f"{name}-0")
        eventually(lambda: names(followed) == [f"{name}-1"])
        assert followed.things["", f"{name}-1"] == cluster.get(NODES, f"{name}-1")


def test_a_dropped_watch_goes_on_where_it_was(memory: MemoryCluster, server: RestServer, client: KubeCluster) -> None:
    with Followed(client, NODES) as followed:
        assert followed.listed.wait(10)
        for index in range(3):
            server.drop_watches()
            memory.create(NODES, node(f"n{index}"))
            eventually(lambda count=index + 1: len(followed.things) == count)  # type: ignore[misc]  # bound in the loop
        lists = [path for method, path in server.asked if method == "GET" and "watch" not in path]
        assert len(lists) == 1


def test_what_happened_while_it_was_down_is_seen(
    memory: MemoryCluster, server: RestServer, client: KubeCluster
) -> None:
    memory.create(NODES, node("old"))
    with Followed(client, NODES) as followed:
        assert followed.listed.wait(10)
        server.down()
        memory.delete(NODES, "old")
        memory.create(NODES, node("new"))
        memory.compact()  # so that the watch can't go on: it has to list, and to notice who is missing
        eventually(lambda: "connection refused" in followed.trouble)
        assert names(followed) == ["old"]
        server.up()
        eventually(lambda: names(followed) == ["new"])
        assert followed.trouble == ""


def test_a_busy_server_is_waited_for(memory: MemoryCluster, server: RestServer, client: KubeCluster) -> None:
    memory.create(NODES, node("n"))
    server.faults.refuse(3, code=500, retry_after=None)
    with Followed(client, NODES) as followed:
        eventually(lambda: names(followed) == ["n"])
