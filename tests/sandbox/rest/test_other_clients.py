"""Clients that aren't ours: lightkube's own, and kubectl where it's installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from lightkube import Client, KubeConfig
from lightkube.generic_resource import create_global_resource
from lightkube.models.core_v1 import Taint
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.core_v1 import Node

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import NODES, PODS
from aliquot.sandbox.rest.server import RestServer
from tests.cluster.objects.things import node, pod

pytestmark = pytest.mark.enable_socket


def test_lightkube(server: RestServer, memory: MemoryCluster, tmp_path: Path) -> None:
    client = Client(KubeConfig.from_file(server.kubeconfig(tmp_path / "config")), field_manager="lightkube")
    memory.create(NODES, node("n", labels={"a": "1"}))
    found = client.get(Node, "n")
    assert found.metadata is not None
    assert found.spec is not None
    found.spec.taints = [Taint(key="k", effect="NoSchedule")]
    client.replace(found)
    assert memory.get(NODES, "n")["spec"]["taints"] == [{"key": "k", "effect": "NoSchedule"}]
    slices = create_global_resource("resource.k8s.io", "v1", "ResourceSlice", "resourceslices")
    client.apply(slices(metadata=ObjectMeta(name="s"), spec={"driver": "d"}))
    assert [each.spec["driver"] for each in client.list(slices, fields={"spec.driver": "d"})] == ["d"]
    client.delete(slices, "s")
    assert not list(client.list(slices))
    client.close()


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl isn't installed")
def test_kubectl(server: RestServer, memory: MemoryCluster, tmp_path: Path) -> None:
    memory.create(NODES, node("n"))
    memory.create(PODS, pod("p", nodeName="n"))
    config = server.kubeconfig(tmp_path / "config")

    def kubectl(*arguments: str) -> str:
        environment = {**os.environ, "KUBECONFIG": str(config), "HOME": str(tmp_path)}
        done = subprocess.run(
            ["kubectl", *arguments], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert kubectl("get", "nodes,pods", "-A", "-o", "name").split() == ["node/n", "pod/p"]
    kubectl("label", "node", "n", "zone=a")
    assert memory.get(NODES, "n")["metadata"]["labels"] == {"zone": "a"}
    kubectl("delete", "pod", "p", "--force", "--grace-period=0")
    assert not memory.list(PODS).items
