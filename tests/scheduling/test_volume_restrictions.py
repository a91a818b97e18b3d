"""Disks for one pod, and claims for one pod."""

from dataclasses import replace

import pytest

from aliquot.kube.pod import Pod, Volume
from aliquot.kube.references import Disk
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from scenarios.nouns.clusters import NOW, cluster, node
from tests.scheduling.volumes_world import claim, using, volume

ALONE = ("ReadWriteOncePod",)
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)
THERE = (claim("data", volume="v", modes=ALONE), volume("v", claimed_by="data"))


def with_disk(name: str, disk: Disk, on: str = "") -> Pod:
    return replace(using(name=name, on=on), volumes=(Volume("d", disk.kind, disk=disk),))


@pytest.mark.parametrize(
    ("mine", "theirs", "clash"),
    [
        (Disk("gcePersistentDisk", ("d",)), Disk("gcePersistentDisk", ("d",)), True),
        (Disk("gcePersistentDisk", ("d",), read_only=True), Disk("gcePersistentDisk", ("d",)), True),
        (
            Disk("gcePersistentDisk", ("d",), read_only=True),
            Disk("gcePersistentDisk", ("d",), read_only=True),
            False,
        ),
        (Disk("gcePersistentDisk", ("d",)), Disk("gcePersistentDisk", ("e",)), False),
        (
            Disk("awsElasticBlockStore", ("v",), read_only=True),
            Disk("awsElasticBlockStore", ("v",), read_only=True),
            True,
        ),
        (Disk("rbd", ("p", "i"), frozenset("ab")), Disk("rbd", ("p", "i"), frozenset("bc")), True),
        (Disk("rbd", ("p", "i"), frozenset("a")), Disk("rbd", ("p", "i"), frozenset("b")), False),
    ],
)
def test_disks(mine: Disk, theirs: Disk, clash: bool) -> None:
    there = cluster(node("a"), node("b"), with_disk("other", theirs, on="a"))
    found = Scheduler(NOW).judge(there, with_disk("p", mine))
    assert isinstance(found, Placement)
    assert found.nodes == (("b",) if clash else ("a", "b"))


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (33, "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"),
        (36, IN_USE),
    ],
)
def test_a_claim_for_one_pod_is_taken_everywhere(minor: int, text: str) -> None:
    there = cluster(node("a"), node("b"), *THERE, using("data", name="other", on="a"))
    found = Scheduler(Kubernetes(minor)).judge(there, using("data"))
    assert isinstance(found, Refusal)
    assert found.counts == {text: 2}


def test_a_claim_for_one_pod_that_nobody_uses() -> None:
    there = cluster(node("a"), *THERE, using(name="other", on="a"))
    assert isinstance(Scheduler(NOW).judge(there, using("data")), Placement)


def test_who_uses_the_claim_may_have_to_go() -> None:
    there = cluster(node("a"), node("b"), *THERE, using("data", name="other", on="a"))
    found = Scheduler(NOW).judge(there, using("data", priority=9))
    assert isinstance(found, Placement)
    assert found.preemption is not None
    assert (found.preemption.node, found.preemption.victims) == ("a", ("default/other",))
