"""What only a cluster in memory can: a clock and chance that are given, a past of a given length, Readings."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.resources import CLAIMS, NODES, PODS, SLICES
from aliquot.cluster.objects.status import StatusError
from tests.cluster.objects.things import NAMESPACE, claim, node, pod, slice_of

START = datetime(2026, 12, 1, 12, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def test_the_clock_is_given() -> None:
    clock = Clock()
    cluster = MemoryCluster(clock=clock)
    cluster.create(PODS, pod("p", nodeName="n"))
    clock.now += timedelta(seconds=10)
    cluster.delete(PODS, "p", NAMESPACE, grace_seconds=5)
    metadata = cluster.get(PODS, "p", NAMESPACE)["metadata"]
    assert metadata["creationTimestamp"] == "2026-12-01T12:00:00Z"
    assert metadata["deletionTimestamp"] == "2026-12-01T12:00:15Z"


def test_chance_is_given() -> None:
    def made() -> Any:
        return MemoryCluster(clock=Clock(), chance=random.Random(7)).create(NODES, node("n"))

    assert made() == made()


def test_a_longer_deletion_is_not_begun() -> None:
    clock = Clock()
    cluster = MemoryCluster(clock=clock)
    cluster.create(PODS, pod("p", nodeName="n"))
    cluster.delete(PODS, "p", NAMESPACE, grace_seconds=5)
    before = cluster.get(PODS, "p", NAMESPACE)
    clock.now += timedelta(seconds=3)
    cluster.delete(PODS, "p", NAMESPACE, grace_seconds=30)
    assert cluster.get(PODS, "p", NAMESPACE) == before
    cluster.delete(PODS, "p", NAMESPACE, grace_seconds=1)
    metadata = cluster.get(PODS, "p", NAMESPACE)["metadata"]
    assert metadata["deletionTimestamp"] == "2026-12-01T12:00:04Z"
    assert metadata["generation"] == 2


def test_a_long_past_is_forgotten_by_itself() -> None:
    cluster = MemoryCluster(history=10)
    cluster.create(NODES, node("n"))
    early = cluster.list(NODES).resource_version
    watch = cluster.watch(NODES, since=early, seconds=0)
    for index in range(25):
        late = cluster.patch(NODES, "n", {"metadata": {"labels": {"a": str(index)}}})["metadata"]["resourceVersion"]
    with pytest.raises(StatusError) as raised:
        list(watch)
    assert raised.value.expired
    assert len(list(cluster.watch(NODES, since=str(int(late) - 10), seconds=0))) == 10


def test_nobody_shares_an_object_with_the_cluster() -> None:
    cluster = MemoryCluster()
    mine = node("n", labels={"a": "1"})
    stored = cluster.create(NODES, mine)
    mine["metadata"]["labels"]["a"] = "2"
    stored["metadata"]["labels"]["a"] = "3"
    cluster.list(NODES).items[0]["metadata"]["labels"]["a"] = "4"
    assert cluster.get(NODES, "n")["metadata"]["labels"] == {"a": "1"}


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(StatusError, match="no JSON") as raised:
        MemoryCluster().create(NODES, node("n", labels={"a": object()}))
    assert raised.value.code == 400


@pytest.mark.parametrize(
    "thing",
    [
        {"metadata": {"name": "n", "namespace": "default"}},
        {"apiVersion": "v2", "metadata": {"name": "n"}},
        {"kind": "Pod", "metadata": {"name": "n"}},
        {"metadata": "n"},
        [],
    ],
)
def test_what_is_no_node_is_refused(thing: Any) -> None:
    with pytest.raises(StatusError) as raised:
        MemoryCluster().create(NODES, thing)
    assert raised.value.code == 400


def test_lists_that_are_empty_are_left_out_but_not_what_is_opaque() -> None:
    cluster = MemoryCluster()
    thing = claim("c")
    opaque = {"driver": "d", "parameters": {"empty": [], "null": None}}
    thing["spec"]["devices"] |= {"constraints": [], "config": [{"opaque": opaque}]}
    devices = cluster.create(CLAIMS, thing)["spec"]["devices"]
    assert "constraints" not in devices
    assert devices["config"][0]["opaque"] == opaque


def test_fields_of_a_gate_that_is_off_are_dropped() -> None:
    cluster = MemoryCluster(unknown={"ResourceSlice": ["spec.devices.taints", "spec.sharedCounters"]})
    thing = slice_of("s", "n", devices=2)
    thing["spec"]["devices"][1]["taints"] = [{"key": "k", "effect": "NoSchedule"}]
    assert cluster.create(SLICES, thing)["spec"]["devices"] == [{"name": "gpu-0"}, {"name": "gpu-1"}]
    assert "taints" not in cluster.apply(SLICES, thing, manager="m", force=True)["spec"]["devices"][1]


def test_it_is_read_as_a_whole() -> None:
    cluster = MemoryCluster(version="v1.36.5")
    cluster.create(NODES, node("n") | {"status": {"capacity": {"cpu": "4"}, "allocatable": {"cpu": "4"}}})
    cluster.create(PODS, pod("p"))
    cluster.create(SLICES, slice_of("s", "n"))
    reading = cluster.read()
    assert reading.server == "v1.36.5"
    assert set(reading.snapshot.nodes) == {"n"}
    assert set(reading.snapshot.pods) == {f"{NAMESPACE}/p"}
    assert [each.driver for each in reading.snapshot.slices.values()] == ["gpu.example.com"]


def test_it_is_followed_as_a_whole() -> None:
    cluster = MemoryCluster()
    readings = cluster.readings()
    assert not next(readings).snapshot.nodes
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(next, readings)
        for index in range(3):
            cluster.create(NODES, node(f"n{index}"))
        assert set(reading.result(10).snapshot.nodes) == {"n0", "n1", "n2"}
