"""Without a kubeconfig a pod asks its own cluster, as its service account."""

import json
import ssl
from pathlib import Path

import pytest
import trustme

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.unavailable import UnavailableError
from tests.cluster.api_server import ApiServer

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}}


@pytest.mark.enable_socket
def test_the_service_account(tmp_path: Path) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    mounted = tmp_path / "serviceaccount"
    mounted.mkdir()
    (mounted / "ca.crt").write_bytes(authority.cert_pem.bytes())
    (mounted / "token").write_text("first\n")
    (mounted / "namespace").write_text("monitoring")
    server = ApiServer([NODE]).start(context)
    server.tokens = {"first"}
    environment = {
        "HOME": str(tmp_path),
        "KUBERNETES_SERVICE_HOST": "127.0.0.1",
        "KUBERNETES_SERVICE_PORT": str(server.port),
    }
    try:
        found = account(None, None, environment, mounted)
        assert (found.context, found.namespace) == ("", "monitoring")
        with Connection(found) as connection:
            assert list(KubeCluster(connection).read().snapshot.nodes) == ["gpu-1"]
            (mounted / "token").write_text("second")  # the kubelet renews it
            server.tokens = {"second"}
            assert list(KubeCluster(connection).read().snapshot.nodes) == ["gpu-1"]
    finally:
        server.stop()
    with pytest.raises(UnavailableError, match="no cluster to look at"):
        account(None, None, {"HOME": str(tmp_path)}, mounted)


def test_a_kubeconfig_comes_first(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    cluster = {"name": "c", "cluster": {"server": "https://elsewhere"}}
    context = {"name": "x", "context": {"cluster": "c"}}
    config = {"current-context": "x", "clusters": [cluster], "contexts": [context]}
    (tmp_path / ".kube" / "config").write_text(json.dumps(config))
    (tmp_path / "token").write_text("t")
    found = account(None, None, {"HOME": str(tmp_path), "KUBERNETES_SERVICE_HOST": "10.0.0.1"}, tmp_path)
    assert (found.context, found.server.server) == ("x", "https://elsewhere")
