"""What a write makes of an object: versions, identity, generation, status."""

import pytest

from aliquot.cluster.objects.resources import CLAIMS, NODES, PODS, SLICES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, allocation, claim, condition, node, pod, slice_of

pytestmark = pytest.mark.enable_socket


def test_a_new_object_gets_an_identity(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(NODES, node(name, labels={"a": "1"}))
    metadata = stored["metadata"]
    assert (stored["apiVersion"], stored["kind"], metadata["name"]) == ("v1", "Node", name)
    assert metadata["uid"]
    assert metadata["resourceVersion"]
    assert metadata["creationTimestamp"].endswith("Z")
    assert metadata["labels"]["a"] == "1"
    assert cluster.get(NODES, name) == stored


def test_what_clients_may_not_set_is_ignored(cluster: WritableCluster, name: str) -> None:
    wanted = slice_of(name, name, uid="mine", generation=7, creationTimestamp="2001-01-01T00:00:00Z")
    metadata = cluster.create(SLICES, wanted)["metadata"]
    assert metadata["uid"] != "mine"
    assert not metadata["creationTimestamp"].startswith("2001")
    assert metadata["generation"] == 1


def test_names_are_generated(cluster: WritableCluster, name: str) -> None:
    thing = slice_of("", name)
    del thing["metadata"]["name"]
    thing["metadata"]["generateName"] = f"{name}-"
    names = {cluster.create(SLICES, thing)["metadata"]["name"] for _ in range(3)}
    assert len(names) == 3
    assert all(each.startswith(f"{name}-") and len(each) == len(name) + 6 for each in names)


def test_every_write_has_a_version_of_its_own(cluster: WritableCluster, name: str) -> None:
    first = cluster.create(NODES, node(name))
    second = cluster.update(NODES, {**first, "spec": {"unschedulable": True}})
    assert second["metadata"]["resourceVersion"] != first["metadata"]["resourceVersion"]
    assert second["metadata"]["uid"] == first["metadata"]["uid"]
    assert second["spec"]["unschedulable"] is True


def test_a_stale_update_is_refused_and_changes_nothing(cluster: WritableCluster, name: str) -> None:
    first = cluster.create(NODES, node(name))
    second = cluster.update(NODES, {**first, "spec": {"unschedulable": True}})
    with pytest.raises(StatusError) as raised:
        cluster.update(NODES, {**first, "spec": {"unschedulable": False}})
    assert (raised.value.code, raised.value.reason, raised.value.conflict) == (409, "Conflict", True)
    assert cluster.get(NODES, name) == second


def test_an_update_without_a_version_overwrites(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name, labels={"a": "1"}))
    stored = cluster.update(NODES, node(name, labels={"b": "2"}))
    assert "a" not in stored["metadata"]["labels"]
    assert stored["metadata"]["labels"]["b"] == "2"


def test_an_update_that_changes_nothing_is_none(cluster: WritableCluster, name: str) -> None:
    first = cluster.create(NODES, node(name, labels={"a": "1"}))
    assert cluster.update(NODES, first) == first
    assert cluster.patch(NODES, name, {"metadata": {"labels": {"a": "1"}}}) == first


def test_an_update_of_another_object_of_that_name_is_refused(cluster: WritableCluster, name: str) -> None:
    first = cluster.create(NODES, node(name))
    cluster.delete(NODES, name)
    cluster.create(NODES, node(name))
    del first["metadata"]["resourceVersion"]
    with pytest.raises(StatusError) as raised:
        cluster.update(NODES, first)
    assert raised.value.conflict


def test_generation_counts_changes_of_the_spec_only(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(SLICES, slice_of(name, name))
    assert stored["metadata"]["generation"] == 1
    stored = cluster.patch(SLICES, name, {"metadata": {"labels": {"a": "1"}}})
    assert stored["metadata"]["generation"] == 1
    stored["spec"]["pool"]["generation"] = 2
    assert cluster.update(SLICES, stored)["metadata"]["generation"] == 2


def test_status_is_written_through_its_subresource_only(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(CLAIMS, claim(name) | {"status": {"allocation": allocation("gpu-0")}})
    assert not stored.get("status")
    stored["status"] = {"allocation": allocation("gpu-0")}
    assert not cluster.update(CLAIMS, stored).get("status")
    after = cluster.update(CLAIMS, stored, subresource="status")
    assert after["status"]["allocation"]["devices"]["results"][0]["device"] == "gpu-0"
    after["spec"] = {"devices": {}}
    after["status"]["reservedFor"] = [{"resource": "pods", "name": "p", "uid": "u"}]
    again = cluster.update(CLAIMS, after, subresource="status")
    assert again["spec"] == stored["spec"]
    assert again["status"]["reservedFor"][0]["name"] == "p"


def test_a_claim_without_its_devices_loses_their_status(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(CLAIMS, claim(name))
    stored["status"] = {"allocation": allocation("gpu-0")}
    stored = cluster.update(CLAIMS, stored, subresource="status")
    told = {"driver": "gpu.example.com", "pool": "n1", "device": "gpu-0", "conditions": [condition("Ready")]}
    stored["status"]["devices"] = [told]
    stored = cluster.update(CLAIMS, stored, subresource="status")
    assert stored["status"]["devices"][0]["conditions"][0]["type"] == "Ready"
    del stored["status"]["allocation"]
    assert not cluster.update(CLAIMS, stored, subresource="status")["status"].get("devices")


def test_a_node_registers_with_its_status(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(NODES, node(name) | {"status": {"capacity": {"cpu": "4"}}})
    assert stored["status"]["capacity"] == {"cpu": "4"}
    stored = cluster.patch(NODES, name, {"status": {"capacity": {"gpu.example.com/gpu": "8"}}}, subresource="status")
    assert stored["status"]["capacity"] == {"cpu": "4", "gpu.example.com/gpu": "8"}


def test_a_new_pod_is_pending(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(PODS, pod(name) | {"status": {"phase": "Running"}})
    assert stored["status"]["phase"] == "Pending"
    stored = cluster.patch(PODS, name, {"status": {"phase": "Running"}}, NAMESPACE, subresource="status")
    assert stored["status"]["phase"] == "Running"
    assert stored["metadata"]["generation"] == 1


def test_a_merge_patch_removes_by_null(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name, labels={"a": "1", "b": "2"}))
    stored = cluster.patch(NODES, name, {"metadata": {"labels": {"a": None, "c": "3"}}})
    labels = stored["metadata"]["labels"]
    assert "a" not in labels
    assert (labels["b"], labels["c"]) == ("2", "3")


def test_a_json_patch_does_all_or_nothing(cluster: WritableCluster, name: str) -> None:
    taint = {"key": "k", "effect": "NoSchedule"}
    before = cluster.create(NODES, node(name) | {"spec": {"taints": [taint]}})
    add = {"op": "add", "path": "/spec/taints/-", "value": {"key": "x", "effect": "NoSchedule"}}
    wrong = {"op": "test", "path": "/spec/taints/0/key", "value": "other"}
    with pytest.raises(StatusError) as raised:
        cluster.patch(NODES, name, [add, wrong], kind="json")
    assert raised.value.code == 422
    assert cluster.get(NODES, name) == before
    right = wrong | {"value": "k"}
    stored = cluster.patch(NODES, name, [right, add, {"op": "remove", "path": "/spec/taints/0"}], kind="json")
    assert [each["key"] for each in stored["spec"]["taints"]] == ["x"]


def test_a_patch_may_say_of_which_version_it_is(cluster: WritableCluster, name: str) -> None:
    first = cluster.create(NODES, node(name))
    cluster.patch(NODES, name, {"metadata": {"labels": {"a": "1"}}})
    stale = {"metadata": {"resourceVersion": first["metadata"]["resourceVersion"], "labels": {"a": "2"}}}
    with pytest.raises(StatusError) as raised:
        cluster.patch(NODES, name, stale)
    assert raised.value.conflict
