"""How objects go: finalizers, pods that a kubelet must end, owners."""

import pytest

from aliquot.cluster.objects.resources import CLAIMS, NODES, PODS, SLICES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, Json, claim, eventually, is_gone, node, pod, slice_of

pytestmark = pytest.mark.enable_socket
FINALIZER = "example.com/keep"


def owner(thing: Json) -> Json:
    metadata = thing["metadata"]
    return {"apiVersion": "v1", "kind": thing["kind"], "name": metadata["name"], "uid": metadata["uid"]}


def test_it_is_gone(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(NODES, node(name))
    cluster.delete(NODES, name, uid=stored["metadata"]["uid"], resource_version=stored["metadata"]["resourceVersion"])
    assert is_gone(lambda: cluster.get(NODES, name))
    assert cluster.create(NODES, node(name))["metadata"]["uid"] != stored["metadata"]["uid"]


def test_a_finalizer_keeps_it_until_it_is_removed(cluster: WritableCluster, name: str) -> None:
    thing = claim(name)
    thing["metadata"]["finalizers"] = [FINALIZER]
    cluster.create(CLAIMS, thing)
    cluster.delete(CLAIMS, name, NAMESPACE)
    waiting = cluster.get(CLAIMS, name, NAMESPACE)
    assert waiting["metadata"]["deletionTimestamp"]
    cluster.delete(CLAIMS, name, NAMESPACE)
    assert cluster.get(CLAIMS, name, NAMESPACE) == waiting
    waiting["metadata"]["finalizers"] = [FINALIZER, "example.com/more"]
    with pytest.raises(StatusError) as raised:
        cluster.update(CLAIMS, waiting)
    assert raised.value.code == 422
    waiting["metadata"]["finalizers"] = []
    cluster.update(CLAIMS, waiting)
    assert is_gone(lambda: cluster.get(CLAIMS, name, NAMESPACE))


def test_a_pod_on_a_node_waits_for_its_kubelet(cluster: WritableCluster, name: str) -> None:
    cluster.create(PODS, pod(name, nodeName="n1", terminationGracePeriodSeconds=20))
    cluster.delete(PODS, name, NAMESPACE)
    metadata = cluster.get(PODS, name, NAMESPACE)["metadata"]
    assert metadata["deletionGracePeriodSeconds"] == 20
    assert metadata["deletionTimestamp"] > metadata["creationTimestamp"]
    assert metadata["generation"] == 2
    cluster.delete(PODS, name, NAMESPACE, uid=metadata["uid"], grace_seconds=0)
    assert is_gone(lambda: cluster.get(PODS, name, NAMESPACE))


def test_a_pod_on_no_node_goes_at_once(cluster: WritableCluster, name: str) -> None:
    cluster.create(PODS, pod(name))
    cluster.delete(PODS, name, NAMESPACE)
    assert is_gone(lambda: cluster.get(PODS, name, NAMESPACE))


def test_a_pod_that_ended_goes_at_once(cluster: WritableCluster, name: str) -> None:
    cluster.create(PODS, pod(name, nodeName="n1"))
    cluster.patch(PODS, name, {"status": {"phase": "Succeeded"}}, NAMESPACE, subresource="status")
    cluster.delete(PODS, name, NAMESPACE)
    assert is_gone(lambda: cluster.get(PODS, name, NAMESPACE))


def test_what_a_node_owns_goes_after_it(cluster: WritableCluster, name: str) -> None:
    parent = cluster.create(NODES, node(name))
    cluster.create(SLICES, slice_of(name, name, ownerReferences=[owner(parent) | {"controller": True}]))
    cluster.create(SLICES, slice_of(f"{name}-other", name))
    cluster.delete(NODES, name)
    eventually(lambda: is_gone(lambda: cluster.get(SLICES, name)))
    assert cluster.get(SLICES, f"{name}-other")


def test_of_two_owners_the_last_takes_it_along(cluster: WritableCluster, name: str) -> None:
    first, second = (cluster.create(PODS, pod(f"{name}-{index}")) for index in range(2))
    thing = claim(name)
    thing["metadata"]["ownerReferences"] = [owner(first), owner(second)]
    cluster.create(CLAIMS, thing)
    cluster.delete(PODS, f"{name}-0", NAMESPACE)
    eventually(lambda: len(cluster.get(CLAIMS, name, NAMESPACE)["metadata"]["ownerReferences"]) == 1)
    assert cluster.get(CLAIMS, name, NAMESPACE)["metadata"]["ownerReferences"][0]["name"] == f"{name}-1"
    cluster.delete(PODS, f"{name}-1", NAMESPACE)
    eventually(lambda: is_gone(lambda: cluster.get(CLAIMS, name, NAMESPACE)))


def test_an_orphan_does_not_stay(cluster: WritableCluster, name: str) -> None:
    parent = cluster.create(NODES, node(name))
    cluster.delete(NODES, name)
    cluster.create(SLICES, slice_of(name, name, ownerReferences=[owner(parent)]))
    eventually(lambda: is_gone(lambda: cluster.get(SLICES, name)))


def test_an_owned_object_with_a_finalizer_waits(cluster: WritableCluster, name: str) -> None:
    parent = cluster.create(NODES, node(name))
    cluster.create(SLICES, slice_of(name, name, ownerReferences=[owner(parent)], finalizers=[FINALIZER]))
    cluster.delete(NODES, name)
    eventually(lambda: "deletionTimestamp" in cluster.get(SLICES, name)["metadata"])
    cluster.patch(SLICES, name, {"metadata": {"finalizers": None}})
    eventually(lambda: is_gone(lambda: cluster.get(SLICES, name)))
