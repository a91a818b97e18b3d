"""What is refused, with which code and reason."""

from collections.abc import Callable

import pytest

from aliquot.cluster.objects.resources import CLAIMS, LEASES, NODES, PODS, SLICES, Resource
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, claim, node, slice_of

pytestmark = pytest.mark.enable_socket

Attempt = Callable[[WritableCluster, str], object]
GADGETS = Resource("example.com", "v1", "Gadget", "gadgets")


def lease(name: str) -> dict[str, object]:
    return {"metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"holderIdentity": "me"}}


def stale_apply(cluster: WritableCluster, name: str) -> object:
    version = cluster.get(NODES, name)["metadata"]["resourceVersion"]
    cluster.patch(NODES, name, {"metadata": {"labels": {"a": "1"}}})
    return cluster.apply(NODES, node(name, resourceVersion=version, labels={"b": "2"}), manager="m")


def other_driver(cluster: WritableCluster, name: str) -> object:
    thing = cluster.create(SLICES, slice_of(name, name))
    thing["spec"]["driver"] = "other.example.com"
    return cluster.update(SLICES, thing)


def other_requests(cluster: WritableCluster, name: str) -> object:
    thing = cluster.create(CLAIMS, claim(name))
    thing["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = "other.example.com"
    return cluster.update(CLAIMS, thing)


def update_of_a_lease(cluster: WritableCluster, name: str) -> object:
    cluster.update(LEASES, lease(name))  # an update creates a lease that isn't there
    return cluster.update(LEASES, lease(name) | {"spec": {"holderIdentity": "you"}})


REFUSALS: list[tuple[str, Attempt, int, str]] = [
    ("get: none of that name", lambda c, n: c.get(NODES, f"{n}-x"), 404, "NotFound"),
    ("update: none of that name", lambda c, n: c.update(NODES, node(f"{n}-x")), 404, "NotFound"),
    ("patch: none of that name", lambda c, n: c.patch(PODS, n, {}, NAMESPACE), 404, "NotFound"),
    ("delete: none of that name", lambda c, n: c.delete(NODES, f"{n}-x"), 404, "NotFound"),
    (
        "apply of a status: none of that name",
        lambda c, n: c.apply(NODES, node(f"{n}-x"), manager="m", subresource="status"),
        404,
        "NotFound",
    ),
    ("a kind that isn't served", lambda c, _: c.list(GADGETS), 404, ""),
    ("create: it's there", lambda c, n: c.create(NODES, node(n)), 409, "AlreadyExists"),
    ("create with a version", lambda c, n: c.create(NODES, node(f"{n}-x", resourceVersion="1")), 500, ""),
    ("create with a bad name", lambda c, _: c.create(NODES, node("No_Name")), 422, "Invalid"),
    ("patch of the uid", lambda c, n: c.patch(NODES, n, {"metadata": {"uid": "x"}}), 422, "Invalid"),
    ("apply to another uid", lambda c, n: c.apply(NODES, node(n, uid="x"), manager="m"), 422, "Invalid"),
    ("apply to a uid that is gone", lambda c, n: c.apply(NODES, node(f"{n}-x", uid="x"), manager="m"), 409, "Conflict"),
    ("apply from a stale version", stale_apply, 409, "Conflict"),
    ("apply with managedFields", lambda c, n: c.apply(NODES, c.get(NODES, n), manager="m"), 400, "BadRequest"),
    ("delete with another uid", lambda c, n: c.delete(NODES, n, uid="other"), 409, "Conflict"),
    ("delete with another version", lambda c, n: c.delete(NODES, n, resource_version="1"), 409, "Conflict"),
    ("a slice's driver may not change", other_driver, 422, "Invalid"),
    ("a claim's spec may not change", other_requests, 422, "Invalid"),
    ("a lease is updated from a version", update_of_a_lease, 422, "Invalid"),
    ("a field that can't be selected by", lambda c, _: c.list(NODES, fields="spec.taints=x"), 400, "BadRequest"),
    ("a label selector that can't be read", lambda c, _: c.list(NODES, labels="a in (b"), 400, "BadRequest"),
]


@pytest.mark.parametrize(("attempt", "code", "reason"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS])
def test_refusals(cluster: WritableCluster, name: str, attempt: Attempt, code: int, reason: str) -> None:
    cluster.create(NODES, node(name, labels={"there": "1"}))
    with pytest.raises(StatusError) as raised:
        attempt(cluster, name)
    assert raised.value.code == code, raised.value.message
    assert reason in {"", raised.value.reason}
    assert raised.value.message
    assert raised.value.exists == (reason == "AlreadyExists")
    assert raised.value.missing == (code == 404)
