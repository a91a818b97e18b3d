"""The benchmark of the node agent: what it asks and sees; a driver that does less isn't taken for a quick one."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aliquot.cluster.api.connection import Connection
from aliquot.cluster.api.kube_cluster import KubeCluster
from aliquot.cluster.api.kubeconfig import account
from aliquot.cluster.objects.resources import CLAIMS
from aliquot.node.protos.generated import dra_v1_pb2 as dra
from aliquot.node.protos.rpc import dial
from conformance.node.driver import Places
from speed import node
from speed.drivers.calls import called, percentile
from speed.drivers.cluster import GPUS, IN_FLIGHT, NAMESPACE, Allocated, Streams, cluster
from speed.drivers.side import Side
from tests.sandbox.driver import Driver

pytestmark = pytest.mark.enable_socket
STREAMS: Streams = [
    [Allocated(f"c{stream}-{number}", f"u{stream}-{number}", "gpu-0") for number in range(2)] for stream in (1, 2)
]


@pytest.fixture
def root() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="s", dir="/tmp"))
    (folder / "cdi").mkdir()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def driver(root: Path) -> Iterator[Driver]:
    """It writes and removes specs as it should."""
    with Driver(root) as driver:
        prepare, unprepare = driver.prepare, driver.unprepare

        def writes(asked: dra.NodePrepareResourcesRequest) -> dra.NodePrepareResourcesResponse:
            for claim in asked.claims:
                (root / f"cdi/claim_{claim.uid}.json").write_text("{}")
            return prepare(asked)

        def removes(uids: tuple[str, ...]) -> dict[str, str]:
            for uid in uids:
                (root / f"cdi/claim_{uid}.json").unlink()
            return unprepare(uids)

        driver.prepare, driver.unprepare = writes, removes
        yield driver


def test_each_claim_is_prepared_and_let_go(driver: Driver, root: Path) -> None:
    with dial(str(driver.socket)) as channel:
        calls = called(channel, STREAMS, root / "cdi")
    assert calls.wrong == []
    assert len(calls.prepare) == len(calls.unprepare) == 4
    assert all(0 < seconds < 45 for seconds in calls.prepare + calls.unprepare)
    for claims in STREAMS:
        mine = [(what.split()[0], uid) for what, (uid,) in driver.asked if uid in {claim.uid for claim in claims}]
        assert mine == [(what, claim.uid) for claim in claims for what in ("prepare", "unprepare")]


@pytest.mark.parametrize("fault", ["no spec", "spec left", "other device", "refusal", "unprepare", "call"])
def test_a_driver_that_does_less_is_told(driver: Driver, root: Path, fault: str) -> None:
    writes, removes = driver.prepare, driver.unprepare

    def prepare(asked: dra.NodePrepareResourcesRequest) -> dra.NodePrepareResourcesResponse:
        given = writes(asked)
        answer = given.claims[asked.claims[0].uid]
        if fault == "no spec":
            (root / f"cdi/claim_{asked.claims[0].uid}.json").unlink()
        elif fault == "other device":
            answer.devices[0].device_name = "gpu-1"
        elif fault == "refusal":
            answer.error = "no"
        elif fault == "call":
            raise ValueError(fault)
        return given

    def unprepare(uids: tuple[str, ...]) -> dict[str, str]:
        if fault == "spec left":
            return dict.fromkeys(uids, "")
        if fault == "no spec":
            return dict.fromkeys(uids, "")
        return removes(uids) if fault != "unprepare" else removes(uids) | dict.fromkeys(uids, "no")

    driver.prepare, driver.unprepare = prepare, unprepare
    told = {
        "no spec": "has no CDI device, or no spec",
        "spec left": "was left",
        "other device": "has other devices than gpu-0",
        "refusal": "isn't prepared: no",
        "unprepare": "isn't unprepared: no",
        "call": "StatusCode.INTERNAL",
    }
    with dial(str(driver.socket)) as channel:
        wrong = called(channel, STREAMS, root / "cdi").wrong
    assert told[fault] in wrong[0]


def test_percentiles_are_times_of_calls() -> None:
    times = [0.001 * number for number in range(1, 201)]
    assert (percentile(times, 50), percentile(times, 99), percentile([7], 99)) == (0.1, 0.198, 7)


def test_a_process_is_weighed(root: Path) -> None:
    with dial(str(root / "none")) as channel:
        mine = Side(Places(root, "n", root / "config"), os.getpid(), channel)
        now, most = mine.resident_mib()
        assert 10 < now <= most
        used = mine.cpu_seconds()
        while mine.cpu_seconds() == used:
            pass


def test_the_api_server_has_the_claims_of_each_node(root: Path) -> None:
    config = root / "config"
    with cluster(config, ["n1", "n2"], 1) as claims:
        assert [len(each) for each in claims.values()] == [IN_FLIGHT, IN_FLIGHT]
        with Connection(account(None, config)) as connection:
            objects = KubeCluster(connection)
            held: list[str] = []
            for stream in claims["n2"]:
                thing = objects.get(CLAIMS, stream[0].name, NAMESPACE)
                (result,) = thing["status"]["allocation"]["devices"]["results"]
                assert (thing["metadata"]["uid"], result["pool"]) == (stream[0].uid, "n2")
                assert result["device"] == stream[0].device
                held += [] if result.get("adminAccess") else [result["device"]]
    assert held == [f"gpu-{number}" for number in range(GPUS)]


def test_a_driver_that_does_not_run_is_no_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ends(_places: Places) -> list[str]:
        return [sys.executable, "-c", "import sys; sys.exit('no such driver')"]

    monkeypatch.setattr(node, "build", Path)
    monkeypatch.setattr(node, "in_go", ends)
    (found,) = node.main(0)
    assert not found.held
    assert "exit status 1: no such driver" in capsys.readouterr().out
