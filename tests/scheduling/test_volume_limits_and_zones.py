"""How many volumes a node can have, and in which zone volumes are."""

from collections.abc import Mapping

import pytest

from aliquot.kube.meta import Meta
from aliquot.kube.release import Kubernetes
from aliquot.kube.storage import CsiNode, PersistentVolumeClaim, VolumeAttachment
from aliquot.scheduling.filters.volume_zone import elsewhere, topologies_of
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.scheduler import Scheduler
from scenarios.nouns.clusters import NOW, cluster, node
from tests.scheduling.volumes_world import claim, storage_class, using, volume

TEXT = "node(s) exceed max volume count"
DRIVER = "csi.example.com"
ZONE = "topology.kubernetes.io/zone"


def limited(most: int, *things: object) -> tuple[object, ...]:
    volumes = [volume(f"v{n}", driver=DRIVER, claimed_by=f"c{n}") for n in range(4)]
    claims: list[PersistentVolumeClaim] = [claim(f"c{n}", volume=f"v{n}") for n in range(4)]
    return (node("a"), CsiNode(Meta("a"), {DRIVER: most}), *volumes, *claims, *things)


def test_a_node_that_can_attach_no_more() -> None:
    there = cluster(*limited(2, using("c0", "c1", name="other", on="a")))
    found = Scheduler(NOW).judge(there, using("c2"))
    assert isinstance(found, Refusal)
    assert found.counts == {TEXT: 1}
    (reason,) = found.reasons("a")
    assert (reason.used_amount, reason.total_amount, reason.preemptible) == (2, 2, True)
    assert isinstance(Scheduler(NOW).judge(there, using("c0")), Placement), "it's attached there already"


def test_attachments_count_from_1_32() -> None:
    there = cluster(*limited(1, VolumeAttachment(Meta("x"), DRIVER, "a", "v3")))
    assert isinstance(Scheduler(Kubernetes(32)).judge(there, using("c0")), Refusal)
    assert isinstance(Scheduler(Kubernetes(31)).judge(there, using("c0")), Placement)


def test_volumes_that_are_still_to_be_made_count() -> None:
    there = cluster(*limited(1, claim("new"), storage_class(), using("c0", name="other", on="a")))
    assert isinstance(Scheduler(NOW).judge(there, using("new")), Refusal)


def test_without_the_nodes_drivers_there_is_no_limit() -> None:
    things = [one for one in limited(0) if not isinstance(one, CsiNode)]
    assert isinstance(Scheduler(NOW).judge(cluster(*things), using("c0")), Placement)


@pytest.mark.parametrize(
    ("labels", "there", "fits"),
    [
        ({ZONE: "a"}, {ZONE: "a"}, True),
        ({ZONE: "a"}, {ZONE: "b"}, False),
        ({ZONE: "a__b"}, {ZONE: "b"}, True),
        ({ZONE: "a____b"}, {ZONE: "c"}, True),
        ({ZONE: "a"}, {}, True),
        ({ZONE: "a"}, {"topology.kubernetes.io/region": "r"}, False),
        ({"failure-domain.beta.kubernetes.io/zone": "a"}, {ZONE: "a"}, True),
        ({}, {ZONE: "a"}, True),
    ],
)
def test_zones(labels: Mapping[str, str], there: Mapping[str, str], fits: bool) -> None:
    topologies = topologies_of((volume("v", labels=labels),))
    assert (elsewhere(topologies, node("n", labels=there)) == ()) is fits


def test_the_words_of_a_zone() -> None:
    there = cluster(
        node("a", labels={ZONE: "x"}), claim("data", volume="v"), volume("v", labels={ZONE: "y"}, claimed_by="data")
    )
    found = Scheduler(NOW).judge(there, using("data"))
    assert isinstance(found, Refusal)
    assert found.counts == {"node(s) had no available volume zone": 1}
    assert found.preemption_counts == {"Preemption is not helpful for scheduling": 1}
