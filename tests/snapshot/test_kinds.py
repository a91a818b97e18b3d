"""Which kinds the input holds, and the tables of those without a field of their own."""

import pytest

from aliquot.kube.groups import KAI, VOLCANO, PodGroup
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.named import ConfigMap
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.storage import PersistentVolumeClaim
from aliquot.kube.workload import Event, Workload
from aliquot.snapshot.snapshot import Snapshot


def claim(name: str) -> PersistentVolumeClaim:
    return PersistentVolumeClaim(meta=Meta(name, "ns"))


def test_kinds_are_those_of_the_input() -> None:
    there = Snapshot.of(
        [
            Node(Meta("n")),
            Workload("DaemonSet", Meta("d", "ns")),
            claim("a"),
            PodGroup(api=KAI, meta=Meta("g", "ns")),
            Event(Meta("e"), "Pod", "ns", "p", "", "r", "m"),
        ],
        kinds=("Secret",),
    )
    assert there.kinds == {"Node", "DaemonSet", "PersistentVolumeClaim", f"PodGroup.{KAI}", "Event", "Secret"}
    assert Snapshot.of([]).kinds == frozenset()


def test_a_what_if_adds_no_kind() -> None:
    there = Snapshot.of([Node(Meta("n"))]).with_object(claim("a"))
    assert there.objects(PersistentVolumeClaim) == {"ns/a": claim("a")}
    assert there.kinds == {"Node"}


def test_tables_change_apart_from_each_other() -> None:
    before = Snapshot.of([claim("a"), ConfigMap(Meta("c", "ns"))])
    after = before.with_object(claim("b")).without_object(PersistentVolumeClaim, "ns/a")
    assert list(after.objects(PersistentVolumeClaim)) == ["ns/b"]
    assert list(before.objects(PersistentVolumeClaim)) == ["ns/a"]
    assert list(after.objects(ConfigMap)) == ["ns/c"]
    assert after.without_object(ConfigMap, "ns/none") is after


def test_groups_of_several_schedulers_may_have_one_name() -> None:
    there = Snapshot.of([PodGroup(api=api, meta=Meta("g", "ns"), least=n) for n, api in enumerate((KAI, VOLCANO))])
    assert {key: group.least for key, group in there.objects(PodGroup).items()} == {
        f"{KAI}/ns/g": 0,
        f"{VOLCANO}/ns/g": 1,
    }


def test_what_is_none_of_them_is_refused() -> None:
    with pytest.raises(TypeError, match="holds no str"):
        Snapshot.of(["nonsense"])


def test_events_about_an_object() -> None:
    told = Event(Meta("e"), "Pod", "ns", "p", "", "Failed", "no")
    there = Snapshot.of([told, Event(Meta("f"), "Pod", "ns", "q", "", "Failed", "no")])
    assert there.events_about("Pod", "ns", "p") == (told,)
    later = there.with_object(told)
    assert later.events_about("Pod", "ns", "p") == (told, told)
    assert there.with_pod(Pod(Meta("p", "ns"))).events_about("Pod", "ns", "none") == ()


def test_what_a_workload_owns() -> None:
    owner = (Owner("Deployment", "d", controller=True),)
    replica_set = Workload("ReplicaSet", Meta("r", "ns", owners=owner))
    there = Snapshot.of([Workload("Deployment", Meta("d", "ns")), replica_set])
    assert there.owned("Deployment", "ns", "d") == (replica_set,)
    assert there.owned("Deployment", "other", "d") == ()
    assert there.without_object(Workload, "ReplicaSet/ns/r").owned("Deployment", "ns", "d") == ()
