"""Volumes, claims, classes and attachments from JSON."""

from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.storage import (
    CsiNode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
    VolumeClaimRef,
)
from tests.kube.objects import faults, read

CLAIM = ("", "PersistentVolumeClaim")


def test_a_claim() -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "fast",
        "volumeName": "v",
        "volumeMode": "Block",
    }
    found = read(PersistentVolumeClaim, *CLAIM, {"spec": spec, "status": {"phase": "Bound"}})
    assert (found.class_name, found.volume_name, found.requested) == ("fast", "v", 1 << 30)
    assert (found.access_modes, found.volume_mode, found.phase) == (("ReadWriteOnce",), "Block", "Bound")
    assert found.meta.namespace == "default"
    assert found.bound


def test_a_claim_is_bound_when_its_controller_has_finished() -> None:
    named = {"spec": {"volumeName": "v"}}
    assert not read(PersistentVolumeClaim, *CLAIM, named).bound
    finished = {"pv.kubernetes.io/bind-completed": "yes"}
    assert read(PersistentVolumeClaim, *CLAIM, named, annotations=finished).bound
    assert not read(PersistentVolumeClaim, *CLAIM, {"spec": {}}, annotations=finished).bound


def test_annotations_of_a_claim() -> None:
    told = {"volume.beta.kubernetes.io/storage-class": "old", "volume.kubernetes.io/selected-node": "n"}
    found = read(PersistentVolumeClaim, *CLAIM, {"spec": {"storageClassName": "new"}}, annotations=told)
    assert (found.class_name, found.selected_node) == ("old", "n")
    bare = read(PersistentVolumeClaim, *CLAIM, {})
    assert (bare.class_name, bare.selected_node, bare.phase) == (None, None, "Pending")


def test_a_volume() -> None:
    terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
    spec = {
        "capacity": {"storage": "5"},
        "claimRef": {"namespace": "n", "name": "c", "uid": "u"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        "csi": {"driver": "d", "volumeHandle": "h"},
        "storageClassName": "s",
    }
    found = read(PersistentVolume, "", "PersistentVolume", {"spec": spec, "status": {"phase": "Bound"}})
    assert (found.capacity, found.claim, found.class_name, found.phase) == (
        5,
        VolumeClaimRef("n", "c", "u"),
        "s",
        "Bound",
    )
    assert (found.driver, found.handle, found.source) == ("d", "h", "csi")
    assert found.node_affinity == NodeSelector((NodeSelectorTerm((Requirement("zone", "In", ("a",)),)),))
    assert found.meta.namespace == ""
    local = read(PersistentVolume, "", "PersistentVolume", {"spec": {"local": {"path": "/d"}}})
    assert (local.source, local.phase, local.claim) == ("local", "Pending", None)


def test_a_reference_to_a_claim_made_anew_is_not_for_it() -> None:
    claim = read(PersistentVolumeClaim, *CLAIM, {}, name="c", namespace="n", uid="new")
    assert VolumeClaimRef("n", "c").is_for(claim)
    assert VolumeClaimRef("n", "c", "new").is_for(claim)
    assert not VolumeClaimRef("n", "c", "old").is_for(claim)
    assert not VolumeClaimRef("m", "c").is_for(claim)


def test_a_class() -> None:
    topologies = [{"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}]
    thing = {"provisioner": "p", "volumeBindingMode": "WaitForFirstConsumer", "allowedTopologies": topologies}
    default = {"storageclass.kubernetes.io/is-default-class": "true"}
    found = read(StorageClass, "storage.k8s.io", "StorageClass", thing, annotations=default)
    assert (found.provisioner, found.waits, found.default) == ("p", True, True)
    assert found.topologies == ((Requirement("zone", "In", ("a", "b")),),)
    bare = read(StorageClass, "storage.k8s.io", "StorageClass", {})
    assert (bare.binding_mode, bare.waits, bare.default, bare.topologies) == ("Immediate", False, False, ())


def test_drivers_of_a_node_and_attachments() -> None:
    drivers = [{"name": "d", "allocatable": {"count": 3}}, {"name": "e"}]
    assert read(CsiNode, "storage.k8s.io", "CSINode", {"spec": {"drivers": drivers}}).limits == {"d": 3, "e": None}
    spec = {"attacher": "d", "nodeName": "n", "source": {"persistentVolumeName": "v"}}
    found = read(VolumeAttachment, "storage.k8s.io", "VolumeAttachment", {"spec": spec})
    assert (found.attacher, found.node, found.volume_name) == ("d", "n", "v")
    assert read(VolumeAttachment, "storage.k8s.io", "VolumeAttachment", {}).volume_name is None


def test_every_fault_has_its_path() -> None:
    wrong = {"spec": {"accessModes": "ReadWriteOnce", "resources": {"requests": {"storage": "much"}}}}
    assert [fault.path for fault in faults(*CLAIM, wrong)] == [
        "spec.accessModes",
        "spec.resources.requests.storage",
    ]
