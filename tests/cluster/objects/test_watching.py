"""What a watch tells."""

import threading
import time

import pytest

from aliquot.cluster.memory.cluster import MemoryCluster
from aliquot.cluster.objects.protocol import WatchEvent
from aliquot.cluster.objects.resources import NODES, PODS
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, node, pod

pytestmark = pytest.mark.enable_socket


def told(events: list[WatchEvent]) -> list[tuple[str, str]]:
    return [(event.what, event.thing["metadata"]["name"]) for event in events if event.what != "BOOKMARK"]


def test_all_that_happens_after_a_list(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(f"{name}-old"))
    since = cluster.list(NODES).resource_version
    cluster.create(NODES, node(name))
    cluster.patch(NODES, name, {"metadata": {"labels": {"a": "1"}}})
    cluster.patch(NODES, name, {"metadata": {"labels": {"a": "1"}}})  # changes nothing
    cluster.delete(NODES, name)
    with cluster.watch(NODES, since=since, fields=f"metadata.name={name}", seconds=1) as watch:
        events = list(watch)
    assert told(events) == [("ADDED", name), ("MODIFIED", name), ("DELETED", name)]
    assert events[1].thing["metadata"]["labels"]["a"] == "1"
    versions = [int(event.resource_version) for event in events]
    assert versions == sorted(versions)
    with cluster.watch(NODES, since=events[0].resource_version, fields=f"metadata.name={name}", seconds=1) as watch:
        assert told(list(watch)) == [("MODIFIED", name), ("DELETED", name)]


def test_it_goes_on_while_things_happen_and_ends_when_closed(cluster: WritableCluster, name: str) -> None:
    since = cluster.list(NODES).resource_version
    events: list[WatchEvent] = []
    watch = cluster.watch(NODES, since=since, fields=f"metadata.name={name}")

    def follow() -> None:
        with watch:
            events.extend(watch)

    follower = threading.Thread(target=follow)
    follower.start()
    cluster.create(NODES, node(name))
    cluster.delete(NODES, name)
    time.sleep(0.3)
    watch.close()
    follower.join(10)
    assert not follower.is_alive()
    assert told(events) == [("ADDED", name), ("DELETED", name)]


def test_it_ends_by_itself(cluster: WritableCluster) -> None:
    begun = time.monotonic()
    with cluster.watch(NODES, since=cluster.list(NODES).resource_version, seconds=1) as watch:
        list(watch)
    assert 0.5 < time.monotonic() - begun < 10


def test_what_begins_to_match_is_added_and_what_ceases_is_deleted(cluster: WritableCluster, name: str) -> None:
    since = cluster.list(NODES).resource_version
    cluster.create(NODES, node(name))
    for value in (name, f"{name}-2", None):
        cluster.patch(NODES, name, {"metadata": {"labels": {"of": value}}})
    with cluster.watch(NODES, since=since, labels=f"of={name}", seconds=1) as watch:
        events = list(watch)
    assert told(events) == [("ADDED", name), ("DELETED", name)]
    assert events[1].thing["metadata"]["labels"]["of"] == name  # as it was last seen


def test_of_one_namespace(cluster: WritableCluster, name: str) -> None:
    since = cluster.list(PODS).resource_version
    cluster.create(PODS, pod(name))
    with cluster.watch(PODS, NAMESPACE, since=since, fields=f"metadata.name={name}", seconds=1) as watch:
        assert told(list(watch)) == [("ADDED", name)]
    with cluster.watch(PODS, "elsewhere", since=since, fields=f"metadata.name={name}", seconds=1) as watch:
        assert told(list(watch)) == []


def test_a_forgotten_past(cluster: WritableCluster, name: str, implementation: str, memory: MemoryCluster) -> None:
    if implementation == "live":
        pytest.skip("an API server forgets when it likes")
    cluster.create(NODES, node(name))
    memory.compact()
    with pytest.raises(StatusError) as raised, cluster.watch(NODES, since="1", seconds=1) as watch:
        list(watch)
    assert (raised.value.code, raised.value.reason, raised.value.expired) == (410, "Expired", True)
    with cluster.watch(NODES, since=cluster.list(NODES).resource_version, seconds=1) as watch:
        assert told(list(watch)) == []
