"""Events and leases, which are written in their own ways."""

import pytest

from aliquot.cluster.objects.resources import EVENTS, LEASES
from aliquot.cluster.objects.status import StatusError
from aliquot.cluster.protocol import WritableCluster
from tests.cluster.objects.things import NAMESPACE, Json

pytestmark = pytest.mark.enable_socket


def event(name: str, about: str) -> Json:
    involved = {"kind": "Pod", "namespace": NAMESPACE, "name": about}
    told = {"reason": "Prepared", "message": "4 devices", "type": "Normal", "source": {"component": "aliquot"}}
    return {"metadata": {"generateName": name, "namespace": NAMESPACE}, "involvedObject": involved, **told}


def test_events_are_found_by_what_they_are_about(cluster: WritableCluster, name: str) -> None:
    for about in (name, name, f"{name}-other"):
        cluster.create(EVENTS, event(f"{name}.", about))
    found = cluster.list(EVENTS, NAMESPACE, fields=f"involvedObject.name={name},involvedObject.kind=Pod,source=aliquot")
    assert [each["message"] for each in found.items] == ["4 devices"] * 2
    assert not cluster.list(EVENTS, NAMESPACE, fields=f"involvedObject.name={name},type=Warning").items


def test_a_lease_is_held_by_one(cluster: WritableCluster, name: str) -> None:
    wanted: Json = {"metadata": {"name": name, "namespace": NAMESPACE}, "spec": {"holderIdentity": "one"}}
    first = cluster.update(LEASES, wanted)  # creates it
    assert cluster.get(LEASES, name, NAMESPACE) == first
    two = cluster.update(LEASES, {**first, "spec": {"holderIdentity": "two"}})
    with pytest.raises(StatusError) as raised:
        cluster.update(LEASES, {**first, "spec": {"holderIdentity": "three"}})
    assert raised.value.conflict
    assert cluster.get(LEASES, name, NAMESPACE) == two
