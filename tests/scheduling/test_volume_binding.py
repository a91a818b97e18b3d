"""Which nodes a pod's volumes can be reached from, or be made for."""

from dataclasses import replace

import pytest

from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import LabelSelector
from aliquot.scheduling.filters.volume_binding import matching
from aliquot.scheduling.outcome import Placement, Refusal, Verdict
from aliquot.scheduling.scheduler import Scheduler
from scenarios.nouns.clusters import NOW, cluster, node
from tests.scheduling.volumes_world import claim, storage_class, using, volume

A, B = node("a", labels={"zone": "x"}), node("b", labels={"zone": "y"})
NO_MATCH = "node(s) didn't find available persistent volumes to bind"


def judge(asking: Pod, *things: object, kubernetes: Kubernetes = NOW) -> Verdict:
    return Scheduler(kubernetes).judge(cluster(A, B, *things), asking)


def nodes(asking: Pod, *things: object) -> tuple[str, ...]:
    found = judge(asking, *things)
    return found.nodes if isinstance(found, Placement) else ()


def counts(asking: Pod, *things: object, kubernetes: Kubernetes = NOW) -> dict[str, int]:
    found = judge(asking, *things, kubernetes=kubernetes)
    assert isinstance(found, Refusal)
    return dict(found.counts)


def test_a_bound_volume_binds_the_pod_to_its_nodes() -> None:
    assert nodes(using("data"), claim("data", volume="v"), volume("v", zone="y")) == ("b",)


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (32, "node(s) had volume node affinity conflict"),
        (33, "node(s) didn't match PersistentVolume's node affinity"),
        (37, "node(s) didn't match PersistentVolume's node affinity"),
    ],
)
def test_the_words_of_a_volume_elsewhere(minor: int, text: str) -> None:
    there = (claim("data", volume="v"), volume("v", zone="z"))
    assert counts(using("data"), *there, kubernetes=Kubernetes(minor)) == {text: 2}


def test_no_preemption_helps_against_a_volume_elsewhere() -> None:
    found = judge(using("data", priority=9), claim("data", volume="v"), volume("v", zone="z"), using(name="q", on="a"))
    assert isinstance(found, Refusal)
    assert found.preemption_counts == {"Preemption is not helpful for scheduling": 2}


def test_a_node_was_chosen_for_the_volume() -> None:
    chosen = claim("data", annotations={"volume.kubernetes.io/selected-node": "b"})
    assert nodes(using("data"), chosen, storage_class()) == ("b",)


def test_a_class_that_makes_volumes_in_some_zones_only() -> None:
    assert nodes(using("data"), claim("data"), storage_class(zones=("x",))) == ("a",)


def test_a_class_that_makes_none_needs_one_that_is_free() -> None:
    local = storage_class(makes=False)
    assert counts(using("data"), claim("data"), local, volume("v", claimed_by="other")) == {NO_MATCH: 2}
    assert nodes(using("data"), claim("data"), local, volume("v", zone="y")) == ("b",)
    # Two claims can't share it.
    assert counts(using("data", "more"), claim("data"), claim("more"), local, volume("v")) == {NO_MATCH: 2}


def test_of_volumes_that_make_none_nothing_is_said_without_the_volumes() -> None:
    found = judge(using("data"), claim("data"), storage_class(makes=False))
    assert isinstance(found, Placement)
    assert found.not_checked == ("volumes: v-data (persistentVolumeClaim data)",)


def test_volume_filters_come_after_resources() -> None:
    asking = replace(using("data"), containers=(replace(using().containers[0], requests={"cpu": 9000}),))
    assert counts(asking, claim("data", volume="v"), volume("v", zone="z")) == {"Insufficient cpu": 2}
    told = Scheduler(NOW).reasons(cluster(A, claim("data", volume="v"), volume("v", zone="z")), asking, "a")
    assert [reason.filter for reason in told] == ["NodeResourcesFit", "VolumeBinding"]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, "small"),
        ({"requested": 3}, "large"),
        ({"requested": 9}, None),
        ({"volume_mode": "Block"}, None),
        ({"access_modes": ("ReadWriteMany",)}, None),
        ({"class_name": "slow"}, None),
        ({"selector": LabelSelector({"size": "large"})}, "large"),
        ({"attributes_class": "gold"}, None),
    ],
)
def test_which_volume_a_claim_gets(change: dict[str, object], found: str | None) -> None:
    volumes = (
        volume("large", size=4, labels={"size": "large"}),
        volume("small", size=2),
        volume("used", phase="Released"),
    )
    got = matching(replace(claim("data"), **change), volumes, A)  # type: ignore[arg-type]
    assert (got.meta.name if got else None) == found


def test_a_volume_kept_for_the_claim_comes_first() -> None:
    kept = volume("kept", size=9, claimed_by="data", zone="y")
    assert matching(claim("data"), (volume("small"), kept), B) == kept
    assert matching(claim("data"), (kept, volume("small")), A) is None
