"""Labels written to a Node that others write to, too."""

from typing import Any

import pytest

from aliquot.cluster.memory.objects import MemoryObjects
from aliquot.cluster.objects.protocol import Json, Subresource
from aliquot.cluster.objects.resources import NODES, Resource
from aliquot.cluster.objects.status import StatusError
from aliquot.node.labels.ownership import LeftAlone
from aliquot.node.labels.writing import MANAGER, write_labels

COUNT, PRODUCT, OWN = "nvidia.com/gpu.count", "nvidia.com/gpu.product", "aliquot.dev/agent.version"


@pytest.fixture
def objects() -> MemoryObjects:
    cluster = MemoryObjects()
    cluster.create(NODES, {"metadata": {"name": "n1", "labels": {"zone": "a"}}}, manager="kubelet")
    return cluster


def labels(objects: MemoryObjects) -> Any:
    return objects.get(NODES, "n1")["metadata"]["labels"]


def test_written_changed_and_removed(objects: MemoryObjects) -> None:
    assert write_labels(objects, "n1", {COUNT: "8", PRODUCT: "H100"}) == ()
    assert labels(objects) == {"zone": "a", COUNT: "8", PRODUCT: "H100"}
    assert write_labels(objects, "n1", {COUNT: "7", OWN: "0.1.0"}) == ()
    assert labels(objects) == {"zone": "a", COUNT: "7", OWN: "0.1.0"}
    version = objects.get(NODES, "n1")["metadata"]["resourceVersion"]
    write_labels(objects, "n1", {COUNT: "7", OWN: "0.1.0"})
    assert objects.get(NODES, "n1")["metadata"]["resourceVersion"] == version
    write_labels(objects, "n1", {})
    assert labels(objects) == {"zone": "a"}
    objects.patch(NODES, "n1", {"metadata": {"labels": {COUNT: "1"}}}, manager="kubectl-label")
    assert str(write_labels(objects, "n1", {COUNT: "8"})[0]) == (
        f"label {COUNT} is left to kubectl-label, whose value is '1'; '8' would be true"
    )


def test_what_another_manager_writes_is_left_to_it(objects: MemoryObjects) -> None:
    theirs = {"metadata": {"labels": {COUNT: "4", PRODUCT: "H100"}}}
    objects.patch(NODES, "n1", theirs, manager="nfd-master")
    found = write_labels(objects, "n1", {COUNT: "8", PRODUCT: "H100", OWN: "0.1.0"})
    assert found == (
        LeftAlone(COUNT, ("nfd-master",), "4", "8"),
        LeftAlone(PRODUCT, ("nfd-master",), "H100", "H100"),
    )
    assert str(found[1]) == f"label {PRODUCT} is left to nfd-master"
    assert labels(objects) == {"zone": "a", COUNT: "4", PRODUCT: "H100", OWN: "0.1.0"}
    objects.patch(NODES, "n1", {"metadata": {"labels": {COUNT: None}}}, manager="nfd-master")
    assert [one.label for one in write_labels(objects, "n1", {COUNT: "8", PRODUCT: "H100", OWN: "0.1.0"})] == [PRODUCT]
    assert labels(objects)[COUNT] == "8"


def test_taken_over_from_us(objects: MemoryObjects) -> None:
    """Somebody overwrites ours: it's theirs from then on."""
    write_labels(objects, "n1", {COUNT: "8"})
    objects.patch(NODES, "n1", {"metadata": {"labels": {COUNT: "3"}}}, manager="admin")
    assert [str(one) for one in write_labels(objects, "n1", {COUNT: "8"})] == [
        f"label {COUNT} is left to admin, whose value is '3'; '8' would be true"
    ]
    assert labels(objects)[COUNT] == "3"


def test_a_label_that_nobody_is_known_to_write(objects: MemoryObjects) -> None:
    """From before the API server kept managers."""

    class Old(MemoryObjects):
        def get(self, resource: Any, name: str, namespace: str = "") -> Json:
            thing = super().get(resource, name, namespace)
            thing["metadata"].pop("managedFields", None)
            return thing

    old = Old()
    old.create(NODES, {"metadata": {"name": "n1", "labels": {COUNT: "4"}}})
    assert [one.managers for one in write_labels(old, "n1", {COUNT: "8"})] == [("somebody unknown",)]
    assert labels(old)[COUNT] == "4"


class Busy(MemoryObjects):
    """Others write, or the node goes, between a look and the write that follows it."""

    def __init__(self, times: int = 0, *, goes: bool = False) -> None:
        super().__init__()
        self.times = times
        self.goes = goes
        self.create(NODES, {"metadata": {"name": "n1", "labels": {"zone": "a"}}}, manager="kubelet")

    def apply(
        self, resource: Resource, thing: Json, *, manager: str, force: bool = False, subresource: Subresource = ""
    ) -> Json:
        if self.goes:
            self.delete(NODES, "n1")
        if self.times:
            self.times -= 1
            self.patch(NODES, "n1", {"metadata": {"labels": {f"{COUNT}{self.times}": "1"}}}, manager="nfd-master")
            raise StatusError(409, "conflict with nfd-master")
        return super().apply(resource, thing, manager=manager, force=force, subresource=subresource)


def test_somebody_is_faster() -> None:
    """The server says that a label has another owner by now, and it's looked again; not without end."""
    once = Busy(1)
    assert write_labels(once, "n1", {COUNT: "8"}) == ()
    assert labels(once)[COUNT] == "8"
    with pytest.raises(StatusError):
        write_labels(Busy(9), "n1", {COUNT: "8"})


def test_no_node_is_made(objects: MemoryObjects) -> None:
    with pytest.raises(StatusError) as gone:
        write_labels(objects, "n2", {COUNT: "8"})
    assert gone.value.missing
    going = Busy(goes=True)
    with pytest.raises(StatusError):
        write_labels(going, "n1", {COUNT: "8"})
    assert going.list(NODES).items == ()


def test_ours_alone_is_taken_for_ours(objects: MemoryObjects) -> None:
    objects.apply(
        NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {COUNT: "2"}}}, manager=MANAGER
    )
    assert write_labels(objects, "n1", {COUNT: "8"}) == ()
    assert labels(objects)[COUNT] == "8"
