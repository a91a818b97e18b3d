"""Dumps of real clusters: the scheduler's own words for every pod."""

import json
from pathlib import Path

import pytest

from aliquot.cluster.files import FileCluster
from aliquot.kube.release import kubernetes_of
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from tests.conftest import ROOT, SHARED

FOLDERS = (ROOT / "tests" / "cases" / "dumps", SHARED / "cases" / "dumps")
DUMPS = {path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.glob("counted-*"))}


@pytest.mark.parametrize("dump", DUMPS.values(), ids=list(DUMPS))
def test_every_pod_is_told_what_the_scheduler_said(dump: Path) -> None:
    truth = json.loads((dump / "truth.json").read_text(encoding="utf-8"))
    snapshot = FileCluster([dump / "dump.yaml"]).read().snapshot
    for key, said in truth["pods"].items():
        verdict = Scheduler(kubernetes_of(truth["kubernetes"])).judge(snapshot, snapshot.pods[key])
        if said["scheduled"]:
            assert isinstance(verdict, Placement)
            assert (verdict.verdict, verdict.nodes) == ("running", (said["node"],))
        else:
            assert isinstance(verdict, Refusal)
            assert (verdict.message, verdict.reason) == (said["schedulerMessage"], said["reason"])
            assert not verdict.not_checked


def test_a_taint_that_hides_a_taken_gpu_is_two_reasons() -> None:
    dump = DUMPS["counted-taint-hides-taken-gpu"]
    snapshot = FileCluster([dump / "dump.yaml"]).read().snapshot
    pod = next(pod for pod in snapshot.pending())
    tainted = next(node for node in snapshot.nodes.values() if node.taints)
    found = Scheduler(kubernetes_of("1.36")).reasons(snapshot, pod, tainted.name)
    assert [reason.filter for reason in found] == ["TaintToleration", "NodeResourcesFit"]
    assert found[1].subject == "nvidia.com/gpu"
