"""Claims in the scheduler's verdicts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.allocation.engines import ExactEngines, ReferenceEngines
from aliquot.cluster.files import FileCluster
from aliquot.dra.claim import Claim, ClaimSpec, DeviceClass, Request, SubRequest
from aliquot.dra.device import Device, Slice
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod, PodClaim
from aliquot.scheduling.devices import Devices
from aliquot.scheduling.judge import judge
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.versions import Release, release
from aliquot.snapshot.snapshot import Snapshot
from tests.conftest import ROOT, SHARED

FOLDERS = (ROOT / "tests" / "cases" / "dumps", SHARED / "cases" / "dumps")
DUMPS = {path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.glob("dra-*"))}
DEVICES = Devices(ReferenceEngines())
NOW = Release(36)

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
        verdict = judge(snapshot, snapshot.pods[key], release(truth["kubernetes"]), DEVICES)
        if said["scheduled"]:
            assert isinstance(verdict, Placement)
            assert verdict.nodes == (said["node"],)
        else:
            assert isinstance(verdict, Refusal)
            assert (verdict.message, verdict.reason) == (said["schedulerMessage"], said["reason"])
            assert not verdict.not_checked


@pytest.mark.parametrize("devices", [DEVICES, Devices(ExactEngines())])
def test_a_node_with_the_device_is_the_place(devices: Devices) -> None:
    verdict = judge(cluster(claim()), POD, NOW, devices)
    assert isinstance(verdict, Placement)
    assert verdict.nodes == ("n1",)


def test_a_pod_whose_claim_is_missing_is_told_nothing() -> None:
    verdict = judge(cluster(), POD, NOW, DEVICES)
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.message) == ("", "")


def test_a_missing_class_stops_it_before_any_node() -> None:
    verdict = judge(cluster(claim("nope")), POD, NOW, DEVICES)
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
    verdict = judge(cluster(wanted), POD, NOW, DEVICES)
    assert isinstance(verdict, Refusal)
    assert (verdict.reason, verdict.message) == ("SchedulerError", message)


def test_nodes_are_told_apart() -> None:
    verdict = judge(cluster(claim("gpu", "false")), POD, NOW, DEVICES)
    assert isinstance(verdict, Refusal)
    assert verdict.counts == {"cannot allocate all claims": 2}


def test_a_pod_without_claims_is_no_concern() -> None:
    verdict = judge(cluster(), replace(POD, claims=()), NOW, DEVICES)
    assert isinstance(verdict, Placement)
    assert verdict.nodes == ("n1", "n2")
