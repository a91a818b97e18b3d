"""What the kubelet stand-in asks of a cluster."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS, SLICES
from aliquot.sandbox.cluster_api import ClusterApi
from aliquot.sandbox.kubelet.api import Api
from aliquot.sandbox.rest.server import RestServer
from tests.cluster.objects.things import NAMESPACE, allocation, claim, slice_of

pytestmark = pytest.mark.enable_socket


@pytest.fixture(name="server")
def server_() -> Iterator[RestServer]:
    with RestServer(MemoryCluster()) as server:
        yield server


@pytest.fixture(name="api")
def api_(server: RestServer, tmp_path: Path) -> Iterator[Api]:
    with Connection(account(None, server.kubeconfig(tmp_path / "config"))) as connection:
        yield ClusterApi(KubeCluster(connection))


def test_a_claim(api: Api, server: RestServer) -> None:
    assert api.claim(NAMESPACE, "c") is None
    stored = server.cluster.create(CLAIMS, claim("c"))
    server.cluster.update(CLAIMS, {**stored, "status": {"allocation": allocation("gpu-3")}}, subresource="status")
    found = api.claim(NAMESPACE, "c")
    assert found is not None
    assert found.meta.uid == stored["metadata"]["uid"]
    assert found.allocation is not None
    assert [each.device.device for each in found.allocation.results] == ["gpu-3"]


@pytest.mark.parametrize(("driver", "left"), [("gpu.example.com", "nic other"), (None, "other")])
def test_slices_of_a_node_are_deleted(api: Api, server: RestServer, driver: str | None, left: str) -> None:
    server.cluster.create(SLICES, slice_of("gpu", "n1"))
    server.cluster.create(SLICES, slice_of("nic", "n1", "nic.example.com"))
    server.cluster.create(SLICES, slice_of("other", "n2"))
    api.delete_slices("n1", driver)
    assert " ".join(each["metadata"]["name"] for each in server.cluster.list(SLICES).items) == left


def test_no_answer(api: Api, server: RestServer) -> None:
    server.down()
    with pytest.raises(OSError, match="refused"):
        api.claim(NAMESPACE, "c")
    with pytest.raises(OSError, match="refused"):
        api.delete_slices("n1", None)
