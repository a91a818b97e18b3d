"""Dumps of real clusters: the scheduler's own words for every pod."""

import json
from pathlib import Path

import pytest

from aliquot.cluster.files import FileCluster
from aliquot.scheduling.judge import fits, judge
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.versions import release
from tests.conftest import ROOT, SHARED

FOLDERS = (ROOT / "tests" / "cases" / "dumps", SHARED / "cases" / "dumps")
DUMPS = {path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.glob("counted-*"))}


@pytest.mark.parametrize("dump", DUMPS.values(), ids=list(DUMPS))
def test_every_pod_is_told_what_the_scheduler_said(dump: Path) -> None:
    truth = json.loads((dump / "truth.json").read_text(encoding="utf-8"))
    snapshot = FileCluster([dump / "dump.yaml"]).read().snapshot
    for key, said in truth["pods"].items():
        verdict = judge(snapshot, snapshot.pods[key], release(truth["kubernetes"]))
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
    found = fits(snapshot, pod, tainted.name, release("1.36"))
    assert [reason.filter for reason in found] == ["TaintToleration", "NodeResourcesFit"]
    assert found[1].subject == "nvidia.com/gpu"
