"""The real things behind the core's protocols: a machine's driver files, and claims of an API server over HTTP."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS
from aliquot.devices.survey import Survey
from aliquot.node.claims.claim_ref import ClaimRef
from aliquot.node.claims.protocol import ClaimsUnavailable
from aliquot.node.claims.refusal import Refusal
from aliquot.node.keeping.local_files import LocalFiles
from aliquot.node.preparing.answers import Prepared
from aliquot.node.preparing.api_claims import ApiClaims
from aliquot.node.preparing.preparer import Preparer
from aliquot.sandbox.rest.server import RestServer
from scenarios.deaths.machine import GPU, NODE, Machine
from tests.cdi.host.driver_root import VERSION, build_driver_root, make_nodes

SURVEY = Survey(host="x")
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root may make device nodes")


def local(folder: Path) -> LocalFiles:
    return LocalFiles(driver_root=str(folder), system_root=str(folder))


def test_an_incomplete_inventory_isn_t_kept(tmp_path: Path) -> None:
    """CUDA's nodes may come late after a boot: what was found before isn't what's found afterwards."""
    files = local(build_driver_root(tmp_path, nodes=False))
    first = files.inventory(SURVEY)
    assert first.driver is not None
    assert first.node("/dev/nvidia-uvm") is None
    assert files.inventory(SURVEY) is not first


@root_only
def test_a_whole_inventory_is_kept_until_something_changes(tmp_path: Path) -> None:
    files = local(build_driver_root(tmp_path, nodes=False))
    files.inventory(SURVEY)
    make_nodes(tmp_path)
    first = files.inventory(SURVEY)
    assert first.node("/dev/nvidia-uvm") is not None
    assert files.inventory(SURVEY) is first
    (tmp_path / "dev/nvidia1").unlink()
    second = files.inventory(SURVEY)
    assert second.node("/dev/nvidia1") is None
    version = tmp_path / "proc/driver/nvidia/version"
    version.parent.mkdir(parents=True)
    version.write_text(f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {VERSION}  Wed\n", encoding="ascii")
    assert files.inventory(SURVEY) is not second
    third = files.inventory(SURVEY)
    files.forget()
    assert files.inventory(SURVEY) is not third
    assert files.inventory(SURVEY) == third


def test_a_spec_is_held_against_this_machine(tmp_path: Path) -> None:
    files = local(build_driver_root(tmp_path, nodes=False))
    found = files.host(files.inventory(SURVEY))
    assert found.file(str(tmp_path / "usr/bin/nvidia-smi")) is not None
    assert found.file(str(tmp_path / "usr/bin/none")) is None


# --- claims ---------------------------------------------------------------------------------------------------------
pytestmark = pytest.mark.enable_socket


@pytest.fixture(name="server")
def server_() -> Iterator[RestServer]:
    with RestServer(MemoryCluster()) as server:
        yield server


@pytest.fixture(name="claims")
def claims_(server: RestServer, tmp_path: Path) -> Iterator[ApiClaims]:
    with Connection(account(None, server.kubeconfig(tmp_path / "config"))) as connection:
        yield ApiClaims(KubeCluster(connection))


def allocated(server: RestServer, name: str) -> ClaimRef:
    request = {"name": "r0", "exactly": {"deviceClassName": GPU}}
    thing = {"metadata": {"namespace": "ml", "name": name}, "spec": {"devices": {"requests": [request]}}}
    stored = server.cluster.create(CLAIMS, thing)
    result = {"request": "r0", "driver": GPU, "pool": NODE, "device": "gpu-1"}
    status = {
        "allocation": {"devices": {"results": [result]}},
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "pod-1"}],
    }
    server.cluster.update(CLAIMS, {**stored, "status": status}, subresource="status")
    return ClaimRef("ml", name, stored["metadata"]["uid"])


def over(claims: ApiClaims, node: Machine) -> Preparer:
    parts = node.agent()._parts
    return Preparer(replace(parts, claims=claims))


def test_claims_of_an_api_server(server: RestServer, claims: ApiClaims, node: Machine) -> None:
    agent = over(claims, node)
    ref = allocated(server, "train")
    assert agent.start() == ()
    assert isinstance(agent.prepare(ref), Prepared)
    assert [each["metadata"]["uid"] for each in claims.all()] == [ref.uid]
    server.cluster.delete(CLAIMS, "train", "ml")
    assert claims.get("ml", "train") is None
    assert [found.what for found in agent.reconcile()] == ["deleted"]
    assert agent.entries() == ()


def test_an_api_server_that_is_down(claims: ApiClaims, server: RestServer, node: Machine) -> None:
    agent = over(claims, node)
    ref = allocated(server, "train")
    agent.start()
    server.down()
    with pytest.raises(ClaimsUnavailable):
        claims.get("ml", "train")
    with pytest.raises(ClaimsUnavailable):
        claims.all()
    answer = agent.prepare(ref)
    assert isinstance(answer, Refusal)
    assert answer.retry
    assert answer.message.startswith(f"claim {ref} can't be read: ")
