"""Snapshots answer, and a changed one answers as if it had been made so."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.dra.claim import Claim, ClaimSpec, DeviceClass
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Pod
from aliquot.kube.workload import Event, Namespace, PriorityClass, Workload
from aliquot.snapshot.snapshot import REROOT_AT, Snapshot
from scenarios.nouns.clusters import GPU, cluster, node, pod


def test_of_takes_any_order_and_the_later_of_two() -> None:
    found = cluster(pod("p", "n", cpu=1), node("n", cpu=1000), node("n", cpu=2000), Namespace(Meta("default")))
    assert found.nodes["n"].allocatable["cpu"] == 2000
    assert found.load("n").free("cpu") == 1999


@pytest.mark.parametrize("change", [Snapshot.of, lambda things: cluster().with_object(next(iter(things)))])
def test_strangers_are_refused(change: Callable[[list[object]], Snapshot]) -> None:
    with pytest.raises(TypeError, match="a snapshot holds no int"):
        change([7])


def test_what_holds_resources() -> None:
    """Bound and not ended: a terminating pod still holds, a finished or waiting one doesn't."""
    found = cluster(
        node("n", gpu=8),
        pod("running", "n", gpu=1),
        pod("going", "n", gpu=2, deleted="2026-01-01T00:00:00Z"),
        pod("done", "n", gpu=3, phase="Succeeded"),
        pod("failed", "n", gpu=3, phase="Failed"),
        pod("waiting", gpu=1),
        pod("elsewhere", "gone", gpu=1),
    )
    assert [(p.name, amount) for p, amount in found.holders("n", GPU)] == [("running", 1), ("going", 2)]
    assert found.holders("n", "cpu") == ()
    assert found.load("n").free(GPU) == 5
    assert found.load("n").free("pods") == 8
    assert [p.name for p in found.pods_on("gone")] == ["elsewhere"]
    assert [p.name for p in found.pending()] == ["waiting"]
    assert [load.node.name for load in found.loads()] == ["n"]


def test_a_node_that_comes_finds_its_pods() -> None:
    found = cluster(pod("p", "n", gpu=1)).with_node(node("n", gpu=2))
    assert found.load("n").free(GPU) == 1
    gone = found.without_node("n")
    assert "n" not in gone.nodes
    assert [p.name for p in gone.pods_on("n")] == ["p"]
    assert gone.without_node("n") is gone
    assert gone.with_node(node("n", gpu=4)).load("n").free(GPU) == 3


def test_pods_come_go_and_are_bound() -> None:
    start = cluster(node("a", gpu=4), node("b", gpu=4), pod("p", gpu=3, nominated="a"))
    bound = start.bind("default/p", "a")
    assert bound.pods["default/p"].nominated_node == ""
    assert (start.load("a").free(GPU), bound.load("a").free(GPU)) == (4, 1)
    moved = bound.with_pod(replace(bound.pods["default/p"], node_name="b"))
    assert (moved.load("a").free(GPU), moved.load("b").free(GPU)) == (4, 1)
    resized = moved.with_pod(pod("p", "b", gpu=1))
    assert resized.load("b").free(GPU) == 3
    assert resized.without_pods(["default/p", "default/none"]).load("b").free(GPU) == 4
    assert bound.changed == {"a"}
    assert moved.changed == {"a", "b"}
    with pytest.raises(KeyError):
        start.bind("default/none", "a")


def test_every_kind_can_be_put_and_taken() -> None:
    start = cluster(node("n"), pod("p", "n", cpu=1))
    claim = Claim(Meta("c", "ns"), ClaimSpec())
    found = start.with_object(claim).with_object(DeviceClass(Meta("gpu"))).with_object(PriorityClass(Meta("high"), 9))
    assert found.claims["ns/c"] is claim
    assert list(found.classes) == ["gpu"]
    assert found.without_object(Claim, "ns/c").claims.get("ns/c") is None
    assert found.without_object(Claim, "ns/none") is found
    event = Event(Meta("e"), "Pod", "ns", "p", "", "FailedScheduling", "no")
    assert found.with_object(event).events == (event,)
    assert Snapshot.of([event]).events == (event,)
    assert found.with_object(node("m")).without_object(type(node("m")), "n").nodes.keys() == {"m"}
    assert found.with_object(pod("q", "n", cpu=2)).without_object(Pod, "default/p").load("n").requested["cpu"] == 2
    workload = Workload("Job", Meta("j", "ns"))
    assert found.with_object(workload).workloads == {"Job/ns/j": workload}


def test_owners() -> None:
    def owned(name: str, kind: str, by: str) -> Meta:
        return Meta(name, "ns", owners=(Owner("Ignored", "x"), Owner(kind, by, controller=True)))

    found = cluster(
        Workload("Deployment", Meta("web", "ns")),
        Workload("ReplicaSet", owned("web-1", "Deployment", "web")),
        Pod(owned("web-1-a", "ReplicaSet", "web-1")),
        Pod(owned("lone", "ReplicaSet", "unknown")),
        Pod(Meta("bare", "ns")),
    )
    topmost = found.workload_of(found.pods["ns/web-1-a"])
    assert topmost is not None
    assert topmost.kind == "Deployment"
    assert found.workload_of(found.pods["ns/lone"]) is None
    assert found.workload_of(found.pods["ns/bare"]) is None
    assert [p.name for p in found.pods_of("Deployment", "ns", "web")] == ["web-1-a"]
    assert found.pods_of("Deployment", "ns", "none") == ()


def test_nominated_pods() -> None:
    start = cluster(node("n"), pod("a", nominated="n"), pod("b"), pod("bound", "n", nominated="n"))
    assert [p.name for p in start.nominated()["n"]] == ["a"]
    assert start.with_node(node("m")).nominated() is start.nominated()
    more = start.with_pod(pod("b", nominated="n")).with_pod(pod("c", nominated="m"))
    assert {k: [p.name for p in v] for k, v in more.nominated().items()} == {"n": ["a", "b"], "m": ["c"]}
    assert more.bind("default/a", "n").bind("default/b", "n").nominated().keys() == {"m"}
    assert more.without_pods(["default/c"]).nominated().keys() == {"n"}


def test_what_is_recalled_is_made_once() -> None:
    made: list[Snapshot] = []

    def make(snapshot: Snapshot) -> int:
        made.append(snapshot)
        return 7

    start = cluster(node("n"))
    assert (start.recall("seven", make), start.recall("seven", make)) == (7, 7)
    changed = start.with_node(node("m"))
    assert changed.root is start
    assert changed.recall("seven", make) == 7
    assert made == [start, changed]


def test_after_many_changes_a_new_root_is_taken() -> None:
    found = cluster(*(node(f"n{n}", gpu=1) for n in range(REROOT_AT + 2)))
    start = found
    for n in range(REROOT_AT + 1):
        found = found.with_pod(pod(f"p{n}", f"n{n}", gpu=1))
    assert found.root is not start
    assert [load.free(GPU) for load in found.loads()].count(0) == REROOT_AT + 1


NAMES = st.sampled_from("abc")
ACTIONS = st.lists(
    st.tuples(st.sampled_from(["node", "no node", "pod", "no pod"]), NAMES, NAMES, st.integers(0, 3)), max_size=12
)


@pytest.mark.law
@given(ACTIONS)
def test_changed_is_as_made(actions: list[tuple[str, str, str, int]]) -> None:
    """Whatever the changes, a snapshot carries what one made of the same objects would carry."""
    changed = cluster(node("a", gpu=4), pod("x", "a", gpu=1), pod("y", "b", gpu=1))
    for what, name, other, amount in actions:
        if what == "node":
            changed = changed.with_node(node(name, gpu=amount))
        elif what == "no node":
            changed = changed.without_node(name)
        elif what == "pod":
            changed = changed.with_pod(
                pod(name, other if amount else "", gpu=amount, nominated="" if amount else other)
            )
        else:
            changed = changed.without_pods([f"default/{name}"])
    made = Snapshot.of([*changed.nodes.values(), *changed.pods.values()])
    for name in "abc":
        here, there = changed.load(name), made.load(name)
        assert dict(here.pods) == dict(there.pods)
        assert {k: v for k, v in here.requested.items() if v} == {k: v for k, v in there.requested.items() if v}
        assert here.node.allocatable == there.node.allocatable
    nominated = {k: {p.key for p in v} for k, v in changed.nominated().items()}
    assert nominated == {k: {p.key for p in v} for k, v in made.nominated().items()}


def test_many_changes_at_once() -> None:
    there = cluster(node("n", gpu=8), pod("a", "n", gpu=1), pod("b", "n", gpu=2), pod("c", gpu=1))
    claim = Claim(Meta("claim", "default"), ClaimSpec())
    found = there.altered(
        {
            "default/a": None,
            "default/b": pod("b"),
            "default/c": pod("c", "n", gpu=1),
            "default/d": pod("d", "n", gpu=1),
        },
        {"default/claim": claim},
    )
    assert list(found.pods) == ["default/b", "default/c", "default/d"]
    assert set(found.load("n").pods) == {"default/c", "default/d"}
    assert found.load("n").free(GPU) == 6
    assert found.claims == {"default/claim": claim}
    assert found.altered({}, {"default/claim": None}).claims == {}
    assert found.altered({}) is found
    assert there.load("n").free(GPU) == 5
