"""Kinds of which only the name is kept."""

import pytest

from aliquot.kube.named import ConfigMap, Lease, RuntimeClass, Secret, ServiceAccount
from tests.kube.objects import faults, read


@pytest.mark.parametrize(
    ("kind", "noun"), [("ConfigMap", ConfigMap), ("Secret", Secret), ("ServiceAccount", ServiceAccount)]
)
def test_no_content_is_kept(kind: str, noun: type[ConfigMap | Secret | ServiceAccount]) -> None:
    thing = {"data": {"password": "aHVzaA=="}, "stringData": {"a": "b"}}
    found = read(noun, "", kind, thing, annotations={"token": "secret"}, labels={"app": "a"})
    assert found.meta.key == "default/x"
    assert found.meta.labels == {"app": "a"}
    assert "secret" not in repr(found)
    assert "aHVzaA" not in repr(found)


def test_a_name_is_due() -> None:
    assert [fault.path for fault in faults("", "Secret", {"metadata": {}})] == ["metadata.name"]


def test_runtime_classes_and_leases() -> None:
    found = read(RuntimeClass, "node.k8s.io", "RuntimeClass", {"handler": "nvidia"})
    assert (found.handler, found.meta.key) == ("nvidia", "x")
    spec = {"holderIdentity": "me", "renewTime": "2026-01-01T00:00:00Z", "leaseDurationSeconds": 15}
    lease = read(Lease, "coordination.k8s.io", "Lease", {"spec": spec})
    assert (lease.holder, lease.renewed, lease.seconds) == ("me", "2026-01-01T00:00:00Z", 15)
