"""Server-side apply: who owns a field, and what becomes of fields that are wanted no longer."""

import pytest

from aliquot.cluster.objects.resources import CLAIMS, NODES, SLICES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, Json, allocation, claim, condition, device_status, node, slice_of

pytestmark = pytest.mark.enable_socket


def owners(thing: Json) -> dict[tuple[str, str, str], Json]:
    """(Manager, operation, subresource) -> fieldsV1."""
    return {
        (entry["manager"], entry["operation"], entry.get("subresource", "")): entry["fieldsV1"]
        for entry in thing["metadata"]["managedFields"]
    }


def test_apply_creates(cluster: WritableCluster, name: str) -> None:
    stored = cluster.apply(SLICES, slice_of(name, name), manager="agent")
    assert stored["spec"]["devices"] == [{"name": "gpu-0"}]
    fields = owners(stored)["agent", "Apply", ""]
    assert "f:driver" in fields["f:spec"]
    assert fields["f:spec"]["f:devices"] == {}  # a slice's devices are one field: who publishes one publishes all


def test_apply_again_changes_nothing(cluster: WritableCluster, name: str) -> None:
    stored = cluster.apply(SLICES, slice_of(name, name), manager="agent")
    assert cluster.apply(SLICES, slice_of(name, name), manager="agent") == stored


def test_a_label_that_is_applied_no_longer_goes(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name, labels={"theirs": "1"}), manager="kubelet")
    cluster.apply(NODES, node(name, labels={"a": "1", "b": "2"}), manager="agent")
    labels = cluster.apply(NODES, node(name, labels={"b": "3"}), manager="agent")["metadata"]["labels"]
    assert "a" not in labels
    assert (labels["b"], labels["theirs"]) == ("3", "1")
    labels = cluster.apply(NODES, node(name), manager="agent")["metadata"]["labels"]
    assert "b" not in labels
    assert labels["theirs"] == "1"


def test_whose_field_it_is(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name, labels={"a": "1"}), manager="kubelet")
    with pytest.raises(StatusError) as raised:
        cluster.apply(NODES, node(name, labels={"a": "2"}), manager="agent")
    assert raised.value.conflict
    cause = raised.value.causes[0]
    assert (cause.reason, cause.field) == ("FieldManagerConflict", ".metadata.labels.a")
    assert '"kubelet"' in cause.message
    assert cluster.get(NODES, name)["metadata"]["labels"]["a"] == "1"


def test_force_takes_a_field(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name, labels={"a": "1", "b": "1"}), manager="kubelet")
    stored = cluster.apply(NODES, node(name, labels={"a": "2"}), manager="agent", force=True)
    assert stored["metadata"]["labels"]["a"] == "2"
    assert "f:a" in owners(stored)["agent", "Apply", ""]["f:metadata"]["f:labels"]
    assert "f:a" not in owners(stored)["kubelet", "Update", ""]["f:metadata"]["f:labels"]


def test_the_same_value_is_owned_together(cluster: WritableCluster, name: str) -> None:
    cluster.apply(NODES, node(name, labels={"a": "1"}), manager="one")
    cluster.apply(NODES, node(name, labels={"a": "1"}), manager="two")
    labels = cluster.apply(NODES, node(name), manager="one")["metadata"]["labels"]
    assert labels["a"] == "1"
    assert "a" not in cluster.apply(NODES, node(name), manager="two")["metadata"].get("labels", {})


def test_an_update_takes_what_it_changes(cluster: WritableCluster, name: str) -> None:
    cluster.apply(NODES, node(name, labels={"a": "1", "b": "1"}), manager="agent")
    cluster.patch(NODES, name, {"metadata": {"labels": {"a": "2"}}}, manager="somebody")
    with pytest.raises(StatusError) as raised:
        cluster.apply(NODES, node(name, labels={"a": "1", "b": "1"}), manager="agent")
    assert '"somebody"' in raised.value.causes[0].message
    labels = cluster.apply(NODES, node(name, labels={"b": "1"}), manager="agent")["metadata"]["labels"]
    assert labels["a"] == "2"  # given up, not removed


def test_conditions_are_told_apart_by_their_type(cluster: WritableCluster, name: str) -> None:
    cluster.create(NODES, node(name))

    def told(*conditions: Json) -> Json:
        return node(name) | {"status": {"conditions": list(conditions)}}

    cluster.apply(NODES, told(condition("Ready")), manager="one", subresource="status")
    stored = cluster.apply(NODES, told(condition("GPUsHealthy")), manager="two", subresource="status")
    assert [each["type"] for each in stored["status"]["conditions"]] == ["Ready", "GPUsHealthy"]
    stored = cluster.apply(NODES, told(condition("GPUsHealthy", "False")), manager="two", subresource="status")
    assert [each["status"] for each in stored["status"]["conditions"]] == ["True", "False"]
    key = 'k:{"type":"GPUsHealthy"}'
    assert "f:status" in owners(stored)["two", "Apply", "status"]["f:status"]["f:conditions"][key]
    stored = cluster.apply(NODES, told(), manager="two", subresource="status")
    assert [each["type"] for each in stored["status"]["conditions"]] == ["Ready"]


def test_taints_are_one_field(cluster: WritableCluster, name: str) -> None:
    taint = {"key": "a", "effect": "NoSchedule"}
    cluster.create(NODES, node(name) | {"spec": {"taints": [taint]}}, manager="autoscaler")
    wanted = node(name) | {"spec": {"taints": [taint, {"key": "b", "effect": "NoSchedule"}]}}
    with pytest.raises(StatusError) as raised:
        cluster.apply(NODES, wanted, manager="agent")
    assert raised.value.causes[0].field == ".spec.taints"


def test_devices_of_a_claim_are_told_apart(cluster: WritableCluster, name: str) -> None:
    stored = cluster.create(CLAIMS, claim(name))
    stored["status"] = {"allocation": allocation("gpu-0", "gpu-1")}
    cluster.update(CLAIMS, stored, subresource="status", manager="scheduler")
    bare: Json = {"metadata": {"name": name, "namespace": NAMESPACE}}

    def told(*devices: Json) -> Json:
        return bare | {"status": {"devices": list(devices)}}

    ready = device_status("gpu-0", conditions=[condition("Ready")])
    cluster.apply(CLAIMS, told(ready), manager="one", subresource="status")
    other = device_status("gpu-1", conditions=[condition("Ready", "False")])
    stored = cluster.apply(CLAIMS, told(other), manager="two", subresource="status")
    assert {each["device"] for each in stored["status"]["devices"]} == {"gpu-0", "gpu-1"}
    assert stored["status"]["allocation"] == allocation("gpu-0", "gpu-1")
    more = device_status("gpu-0", conditions=[condition("Ready"), condition("Bound")])
    stored = cluster.apply(CLAIMS, told(more), manager="one", subresource="status")
    first = next(each for each in stored["status"]["devices"] if each["device"] == "gpu-0")
    assert [each["type"] for each in first["conditions"]] == ["Ready", "Bound"]
    stored = cluster.apply(CLAIMS, told(), manager="one", subresource="status")
    assert [each["device"] for each in stored["status"]["devices"]] == ["gpu-1"]
