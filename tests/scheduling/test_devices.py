"""Claims in the scheduler's verdicts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.cluster.files import FileCluster
from aliquot.dra.claim import Claim, ClaimSpec, DeviceClass, Request, SubRequest
from aliquot.dra.device import Device, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod, PodClaim
from aliquot.kube.release import Kubernetes, kubernetes_of
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from tests.conftest import ROOT, SHARED

FOLDERS = (ROOT / "tests" / "cases" / "dumps", SHARED / "cases" / "dumps")
DUMPS = {path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.glob("dra-*"))}
NOW = Kubernetes(36)

OFFERS = {"cpu": 4000, "memory": 1 << 34, "pods": 10}
CLASS = DeviceClass(Meta("gpu"))
POOL = Slice(Meta("s"), "drv.example.com", "p", node_name="n1", devices=(Device("d"),))
POD = Pod(Meta("p", "default", uid="u"), claims=(PodClaim("gpu", claim_name="c"),))


def claim(class_name: str = "gpu", *selectors: str, name: str = "c") -> Claim:
    return Claim(Meta(name, "default"), ClaimSpec((Request("r", SubRequest("r", class_name, selectors)),)))


def cluster(*things: object) -> Snapshot:
    return Snapshot.of((Node(Meta("n1"), OFFERS, OFFERS), Node(Meta("n2"), OFFERS, OFFERS), CLASS, POOL, *things))


@pytest.mark.parametrize("dump", DUMPS.values(), ids=list(DUMPS))
def test_every_pod_of_a_dump_is_told_what_the_scheduler_said(dump: Path) -> None:
    truth = json.loads((dump / "truth.json").read_text(encoding="utf-8"))
    snapshot = FileCluster([dump / "dump.yaml"]).read().snapshot
    for key, said in truth["pods"].items():
        verdict = Scheduler.of(kubernetes_of(truth["kubernetes"])).judge(snapshot, snapshot.pods[key])
        if said["scheduled"]:
            assert isinstance(verdict, Placement)
            assert verdict.nodes == (said["node"],)
        else:
            assert isinstance(verdict, Refusal)
            assert (verdict.message, verdict.reason) == (said["schedulerMessage"], said["reason"])
            assert not verdict.not_checked


@pytest.mark.parametrize("exact", [False, True])
def test_a_node_with_the_device_is_the_place(*, exact: bool) -> None:
    verdict = Scheduler.of(NOW, exact_decides=exact).judge(cluster(claim()), POD)
    assert isinstance(verdict, Placement)
    assert verdict.nodes == ("n1",)


def test_a_pod_whose_claim_is_missing_is_told_nothing() -> None:
    verdict = Scheduler.of(NOW).judge(cluster(), POD)
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.message) == ("", "")


def test_a_missing_class_stops_it_before_any_node() -> None:
    verdict = Scheduler.of(NOW).judge(cluster(claim("nope")), POD)
    assert isinstance(verdict, Refusal)
    assert verdict.message.startswith("0/2 nodes are available: request r: device class nope does not exist. ")


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (claim(""), 'running PreFilter plugin "DynamicResources": request r: unsupported request type'),
        (
            claim("gpu", "device.attributes['drv.example.com'].x == 1"),
            'running "DynamicResources" filter plugin: claim default/c: selector #0: CEL runtime error: no such key: x',
        ),
    ],
)
def test_errors_end_the_attempt(wanted: Claim, message: str) -> None:
    verdict = Scheduler.of(NOW).judge(cluster(wanted), POD)
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.message) == ("SchedulerError", message)


def test_nodes_are_told_apart() -> None:
    verdict = Scheduler.of(NOW).judge(cluster(claim("gpu", "false")), POD)
    assert isinstance(verdict, Refusal)
    assert verdict.counts == {"cannot allocate all claims": 2}


def test_a_pod_without_claims_is_no_concern() -> None:
    verdict = Scheduler.of(NOW).judge(cluster(), replace(POD, claims=()))
    assert isinstance(verdict, Placement)
    assert verdict.nodes == ("n1", "n2")
