"""The implementations that keep the contract of `aliquot.cluster.objects.protocol.Objects`.

A real cluster is a third one where ALIQUOT_LIVE_KUBECONFIG names a kubeconfig (one to throw away: what the tests write
stays there).
"""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.protocol import WritableCluster
from aliquot.sandbox.rest.server import RestServer

LIVE = os.environ.get("ALIQUOT_LIVE_KUBECONFIG", "")


@pytest.fixture(params=["memory", "rest", *(["live"] if LIVE else [])])
def implementation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def memory() -> MemoryCluster:
    return MemoryCluster()


@pytest.fixture
def cluster(implementation: str, memory: MemoryCluster, tmp_path: Path) -> Iterator[WritableCluster]:
    if implementation == "memory":
        yield memory
    elif implementation == "rest":
        with (
            RestServer(memory) as server,
            Connection(account(None, server.kubeconfig(tmp_path / "config"))) as connection,
        ):
            yield KubeCluster(connection)
    else:
        with Connection(account(None, Path(LIVE))) as connection:
            yield KubeCluster(connection)


@pytest.fixture
def name() -> str:
    """One that nothing has, also in a real cluster on which the tests ran before."""
    return f"test-{uuid.uuid4().hex[:10]}"
