"""Which objects a list has: by namespace, label and field."""

import pytest

from aliquot.cluster.objects.resources import NODES, PODS, SLICES
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, node, pod, slice_of

pytestmark = pytest.mark.enable_socket


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("app=a", "0"),
        ("app==a", "0"),
        ("app!=a", "123"),
        ("app in (a, b)", "01"),
        ("app notin (a,b)", "23"),
        ("app", "012"),
        ("!app", "3"),
        ("app,tier=x", "1"),
        ("app in (b,c),tier notin (x)", "2"),
        ("tier=", "0"),
    ],
)
def test_labels(cluster: WritableCluster, name: str, selector: str, names: str) -> None:
    for index, labels in enumerate(({"app": "a", "tier": ""}, {"app": "b", "tier": "x"}, {"app": "c"}, {})):
        cluster.create(NODES, node(f"{name}-{index}", labels=labels | {"of": name}))
    found = cluster.list(NODES, labels=f"of={name},{selector}").items
    assert "".join(each["metadata"]["name"][-1] for each in found) == names


def test_a_list_is_ordered_and_typed(cluster: WritableCluster, name: str) -> None:
    for index in (2, 0, 1):
        cluster.create(NODES, node(f"{name}-{index}", labels={"of": name}))
    found = cluster.list(NODES, labels=f"of={name}").items
    assert [each["metadata"]["name"] for each in found] == [f"{name}-{index}" for index in range(3)]
    assert all((each["apiVersion"], each["kind"]) == ("v1", "Node") for each in found)
    assert cluster.get(NODES, f"{name}-0") == found[0]


def test_a_name(cluster: WritableCluster, name: str) -> None:
    for index in range(2):
        cluster.create(NODES, node(f"{name}-{index}"))
    found = cluster.list(NODES, fields=f"metadata.name={name}-1").items
    assert [each["metadata"]["name"] for each in found] == [f"{name}-1"]


def test_pods_of_a_node(cluster: WritableCluster, name: str) -> None:
    cluster.create(PODS, pod(f"{name}-here", nodeName=name))
    cluster.create(PODS, pod(f"{name}-nowhere"))
    for namespace in ("", NAMESPACE):
        found = cluster.list(PODS, namespace, fields=f"spec.nodeName={name},status.phase!=Running").items
        assert [each["metadata"]["name"] for each in found] == [f"{name}-here"]
    assert not cluster.list(PODS, "elsewhere").items


def test_slices_of_a_driver_on_a_node(cluster: WritableCluster, name: str) -> None:
    cluster.create(SLICES, slice_of(f"{name}-gpu", name))
    cluster.create(SLICES, slice_of(f"{name}-nic", name, "nic.example.com"))
    cluster.create(SLICES, slice_of(f"{name}-other", f"{name}-2"))
    found = cluster.list(SLICES, fields=f"spec.driver=gpu.example.com,spec.nodeName={name}").items
    assert [each["metadata"]["name"] for each in found] == [f"{name}-gpu"]
