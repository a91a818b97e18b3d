"""Public reports, rebuilt: the verdict of the real scheduler and its message to the letter.

Of a pod that is `blocked` the scheduler would place it, or nobody judges it: then only its message counts here.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from aliquot.cluster.files import FileCluster
from aliquot.kube.release import kubernetes_of
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from tests.conftest import ROOT, SHARED

FOLDERS = (SHARED / "cases" / "reports", ROOT / "tests" / "cases" / "reports")
REPORTS = {
    path.name: path for folder in FOLDERS if folder.is_dir() for path in sorted(folder.iterdir()) if path.is_dir()
}
ANOTHER_DEFECT = {"score-fails"}
"""The message is of a defect in Score, which no filter has."""


def told(report: Path) -> list[dict[str, Any]]:
    read = json.loads((report / "right.json").read_text(encoding="utf-8"))
    every: list[dict[str, Any]] = read if isinstance(read, list) else [read]
    return every


@pytest.mark.parametrize("name", sorted(REPORTS.keys() - ANOTHER_DEFECT))
def test_every_pod(name: str) -> None:
    snapshot = Snapshot.of(FileCluster([next(REPORTS[name].glob("dump*"))]).read().objects)
    for right in told(REPORTS[name]):
        pod = snapshot.pods.get(right["pod"])
        if pod is None:
            continue  # a workload that has none
        verdict = Scheduler.of(kubernetes_of(right["kubernetes"])).judge(snapshot, pod)
        if right["verdict"] != "blocked":
            assert verdict.verdict in {right["verdict"], *right.get("verdictAlso", ())}, right["pod"]
        if right.get("schedulerMessage") is not None:
            assert verdict.message == right["schedulerMessage"], right["pod"]
