"""Random clusters with volumes and disruption budgets: kube-scheduler's own decisions, to the letter."""

import gzip
import json
from typing import Any

import pytest

from aliquot.cluster.envelope import Document
from aliquot.cluster.items import ItemReader
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from tests.conftest import ROOT

FILE = ROOT / "tests" / "cases" / "volumes-and-budgets" / "decisions.jsonl.gz"
DECISIONS: list[dict[str, Any]] = [json.loads(line) for line in gzip.decompress(FILE.read_bytes()).splitlines()]


@pytest.mark.parametrize("part", range(10))
def test_every_decision(part: int) -> None:
    reader, scheduler = ItemReader(), Scheduler.of(Kubernetes(36, 5))
    for said in DECISIONS[part::10]:
        snapshot = Snapshot.of(list(reader.read(Document(json.dumps(said["objects"]).encode()))))
        found = scheduler.judge(snapshot, snapshot.pods["default/p"])
        assert found.not_checked == ()
        if said["node"]:
            assert isinstance(found, Placement)
            assert said["node"] in found.nodes
        elif said["nominated"]:
            assert isinstance(found, Placement)
            assert found.preemption is not None
            assert found.message == said["message"]
            assert said["nominated"] in {found.preemption.node, *found.preemption.alternatives}
            if said["nominated"] == found.preemption.node:
                assert sorted(found.preemption.victims) == said["victims"]
        else:
            assert isinstance(found, Refusal)
            assert found.message == said["message"]
