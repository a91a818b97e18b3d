"""An object is changed although others write it, too."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from aliquot.cluster.objects.changing import change
from aliquot.cluster.objects.resources import NODES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import Json, node

pytestmark = pytest.mark.enable_socket


def test_everybody_adds_a_taint(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name))

    def add(key: str) -> None:
        def edit(thing: Json) -> Json:
            taints = thing["spec"].setdefault("taints", [])
            taints.append({"key": key, "effect": "NoSchedule"})
            return thing

        change(cluster, NODES, name, edit=edit, manager=key)

    keys = [f"example.com/{number}" for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, keys))
    assert sorted(taint["key"] for taint in cluster.get(NODES, name)["spec"]["taints"]) == keys


def test_nothing_to_change(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(NODES, node(name))
    assert change(cluster, NODES, name, edit=lambda _: None) == stored


def test_it_gives_up_if_it_always_loses(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name))
    times: list[str] = []

    def edit(thing: Json) -> Json:
        times.append("")
        cluster.patch(NODES, name, {"metadata": {"labels": {"other": str(len(times))}}})
        return {**thing, "spec": {"unschedulable": True}}

    with pytest.raises(StatusError) as raised:
        change(cluster, NODES, name, edit=edit)
    assert raised.value.conflict
    assert len(times) == 20


def test_a_status(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name))
    stored = change(
        cluster, NODES, name, edit=lambda thing: {**thing, "status": {"capacity": {"cpu": "1"}}}, subresource="status"
    )
    assert stored["status"]["capacity"] == {"cpu": "1"}
