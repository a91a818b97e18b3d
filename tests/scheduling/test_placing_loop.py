"""The loop decides as a judgement from scratch does, at every step."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.allocation.claims.bound import bound_claims
from aliquot.allocation.claims.extended import ANNOTATION
from aliquot.allocation.claims.pod_check import PodCheck
from aliquot.allocation.claims.pod_claims import NotReady, generate
from aliquot.allocation.engines import Engines
from aliquot.dra.claim import Claim, ClaimSpec, ClaimTemplate, Request, SubRequest
from aliquot.dra.device import Attribute, Device, Slice
from aliquot.kube.meta import Meta, Owner
from aliquot.kube.pod import Container, Pod, PodClaim
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.placing.placing_loop import Loop, first
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import NOW, cluster, node, pod
from scenarios.strategies.claims import CLASSES, DRIVER, EXTENDED, SPECS, claimants, clusters
from scenarios.strategies.clusters import RELEASES, pods, worlds

PODS = st.integers(0, 5).map(lambda n: f"p{n}")


class Chooser:
    """Takes the first node and remembers which there were."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __call__(self, nodes: Iterator[str]) -> str | None:
        self.seen = list(nodes)
        return next(iter(self.seen), None)


def afresh(snapshot: Snapshot) -> Snapshot:
    """The same cluster without a past."""
    tables = (
        snapshot.nodes, snapshot.pods, snapshot.namespaces, snapshot.priority_classes, snapshot.workloads,
        snapshot.classes, snapshot.claims, snapshot.templates, snapshot.slices, snapshot.taint_rules,
    )  # fmt: skip
    return Snapshot.of(thing for table in tables for thing in table.values())


def with_claims(there: Snapshot, asking: Pod) -> tuple[Snapshot, Pod]:
    """What the controller does for a new pod, if it can."""
    missing = [one for one in asking.claims if one.template_name is not None and one.name not in asking.claim_names]
    made = generate(asking, there.templates, there.namespaces, there.claims)
    if isinstance(made, NotReady):
        return there, asking
    names = {one.name: claim.meta.name for one, claim in zip(missing, made, strict=True)}
    for claim in made:
        there = there.with_object(claim)
    return there, replace(asking, claim_names={**asking.claim_names, **names})


def devices_on(there: Snapshot, asking: Pod, name: str) -> Mapping[str, Claim]:
    """The claims as a fresh allocator gives them."""
    check = Engines(NOW, exact_decides=True).prepare(there, asking)
    if not isinstance(check, PodCheck):
        return {}
    assert check.check(there.load(name)) == ""
    return {claim.meta.key: claim for claim in bound_claims(check, there.load(name))}


def place_as_from_scratch(loop: Loop, asking: Pod, scheduler: Scheduler) -> None:
    """Place a pod; the loop must decide and give what a judgement of the same cluster from scratch says."""
    before = loop.snapshot
    there, named = with_claims(afresh(before), asking)
    expected = scheduler.judge(there, named)
    chooser = Chooser()
    loop.choose = chooser
    found = loop.place(asking)
    if isinstance(expected, Refusal):
        assert isinstance(found, Refusal)
        assert loop.snapshot is before
        if expected.reason == "SchedulerError":
            assert (found.reason, found.total) == (expected.reason, expected.total)
        else:
            assert found == expected
        return
    assert isinstance(found, Placement)
    assert (found.verdict, found.message, found.not_checked) == ("running", expected.message, expected.not_checked)
    if expected.verdict == "running":
        assert loop.snapshot is before
        return
    (name,) = found.nodes
    if expected.preemption is None:
        assert found.preemption is None
        assert name == expected.nodes[0]
        assert asking.nominated_node == name or tuple(chooser.seen) == expected.nodes
        for key, claim in devices_on(there, named, name).items() if scheduler.engines else ():
            assert loop.snapshot.claims[key] == claim
    else:
        assert found.preemption is not None
        assert name in (expected.preemption.node, *expected.preemption.alternatives)
        assert not any(key in loop.snapshot.pods for key in found.preemption.victims)
    assert loop.snapshot.pods[asking.key].node_name == name


@pytest.mark.law
@given(worlds(), RELEASES, st.data())
def test_it_decides_as_from_scratch(there: Snapshot, kubernetes: Kubernetes, data: st.DataObject) -> None:
    loop = Loop(there, Scheduler(kubernetes))
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.integers(0, 3)):
            asking = data.draw(PODS.flatmap(pods))
            loop.remove(asking.key)
            place_as_from_scratch(loop, asking, Scheduler(kubernetes))
        else:
            loop.remove(data.draw(st.sampled_from((*loop.snapshot.pods, "default/nobody"))))


@pytest.mark.law
@given(clusters(), st.data())
def test_it_decides_as_from_scratch_with_claims(there: Snapshot, data: st.DataObject) -> None:
    loop = Loop(there, Scheduler.of(NOW, exact_decides=True))
    scheduler = Scheduler.of(NOW, exact_decides=True)
    for number in range(data.draw(st.integers(1, 8))):
        if data.draw(st.integers(0, 4)) or not loop.snapshot.pods:
            place_as_from_scratch(loop, data.draw(claimants(f"p{number}")), scheduler)
        else:
            loop.remove(data.draw(st.sampled_from(tuple(loop.snapshot.pods))))


def claiming(name: str, template: str = "one", cpu: int = 0, priority: int = 0) -> Pod:
    asking = pod(name, cpu=cpu, priority=priority)
    return replace(asking, meta=replace(asking.meta, uid=f"uid-{name}"), claims=(PodClaim("own", None, template),))


def two_devices() -> Snapshot:
    """One node with two devices."""
    devices = tuple(Device(f"d{n}", {"size": Attribute("int", 1)}) for n in range(2))
    templates = (ClaimTemplate(Meta(name, "default"), SPECS[name]) for name in ("one", "two"))
    common = Claim(Meta("common", "default"), SPECS["one"])
    return cluster(
        node("a"), *CLASSES, *templates, common, Slice(Meta("s"), DRIVER, "a", node_name="a", devices=devices)
    )


def placed(loop: Loop, asking: Pod) -> bool:
    return isinstance(loop.place(asking), Placement)


def test_devices_run_out_and_come_back() -> None:
    loop = Loop(two_devices(), Scheduler.of(NOW, exact_decides=True))
    assert [placed(loop, claiming(name)) for name in ("p", "q", "r")] == [True, True, False]
    assert set(loop.snapshot.claims) == {"default/common", "default/p-own", "default/q-own"}
    assert "default/r" not in loop.snapshot.pods
    loop.remove("default/p")
    assert placed(loop, claiming("r"))
    given = loop.snapshot.claims["default/r-own"].allocation
    assert given is not None
    assert [one.device.device for one in given.results] == ["d0"]
    assert [one.name for one in loop.snapshot.claims["default/r-own"].reserved_for] == ["r"]


def test_a_shared_claim_stays_until_its_last_pod_has_gone() -> None:
    loop = Loop(two_devices(), Scheduler.of(NOW, exact_decides=True))
    sharing = [replace(claiming(name), claims=(PodClaim("own", "common"),)) for name in ("p", "q")]
    assert all(placed(loop, one) for one in sharing)
    assert not placed(loop, claiming("two", "two"))
    loop.remove("default/p")
    assert [one.name for one in loop.snapshot.claims["default/common"].reserved_for] == ["q"]
    assert not placed(loop, claiming("two", "two"))
    loop.remove("default/q")
    assert loop.snapshot.claims["default/common"].allocation is None
    assert placed(loop, claiming("two", "two"))


def test_the_refused_are_asked_again_after_a_change() -> None:
    loop = Loop(cluster(node("a", gpu=1)), Scheduler(NOW))
    assert placed(loop, pod("p", gpu=1))
    refusals = [loop.place(pod(name, gpu=1)) for name in ("q", "r")]
    assert [(one.pod, isinstance(one, Refusal)) for one in refusals] == [("default/q", True), ("default/r", True)]
    loop.remove("default/p")
    assert placed(loop, pod("q", gpu=1))


def test_what_has_a_node_or_waits_at_a_gate_changes_nothing() -> None:
    there = cluster(node("a"), pod("old", "a"))
    loop = Loop(there, Scheduler(NOW))
    assert loop.place(pod("old", "a")) == Scheduler(NOW).judge(there, pod("old", "a"))
    assert isinstance(loop.place(replace(pod("p"), scheduling_gates=("wait",))), Refusal)
    assert loop.snapshot is there
    loop.remove("default/nobody")
    assert loop.snapshot is there


def test_the_choice_is_the_callers() -> None:
    loop = Loop(cluster(node("a"), node("b")), Scheduler(NOW), choose=lambda nodes: list(nodes)[-1])
    assert placed(loop, pod("p"))
    assert loop.snapshot.pods["default/p"].node_name == "b"
    assert first(iter(())) is None


def test_no_choice_changes_nothing() -> None:
    there = cluster(node("a"), node("b"))
    loop = Loop(there, Scheduler(NOW), choose=lambda _: None)
    found = loop.place(pod("p"))
    assert found == Scheduler(NOW).judge(there, pod("p"))
    assert loop.snapshot is there


def test_features_that_a_node_must_declare() -> None:
    loop = Loop(cluster(node("a"), node("b", features=("F",))), Scheduler(NOW))
    assert placed(loop, replace(pod("p"), needs_features=("F",)))
    assert loop.snapshot.pods["default/p"].node_name == "b"


def test_an_extended_resource_is_served_by_devices() -> None:
    loop = Loop(two_devices(), Scheduler.of(NOW, exact_decides=True))
    asking = replace(pod("p"), containers=(Container("main", {EXTENDED: 2}),))
    assert placed(loop, asking)
    bound = loop.snapshot.pods["default/p"]
    assert bound.extended_claim is not None
    assert f"default/{bound.extended_claim.claim_name}" in loop.snapshot.claims
    assert not placed(loop, claiming("q"))
    loop.remove("default/p")
    assert set(loop.snapshot.claims) == {"default/common"}
    assert placed(loop, claiming("q"))


def test_a_place_is_kept_for_whom_it_was_promised() -> None:
    there = cluster(node("a", gpu=1), pod("big", gpu=1, priority=5, nominated="a"))
    loop = Loop(there, Scheduler(NOW))
    assert not placed(loop, pod("p", gpu=1))
    assert placed(loop, pod("big", gpu=1, priority=5, nominated="a"))
    loop.remove("default/big")
    assert placed(loop, pod("p", gpu=1))


def test_victims_give_back_their_devices() -> None:
    loop = Loop(two_devices(), Scheduler.of(NOW, exact_decides=True))
    assert placed(loop, claiming("low", cpu=4000))
    found = loop.place(claiming("high", cpu=4000, priority=1))
    assert isinstance(found, Placement)
    assert found.preemption is not None
    assert set(loop.snapshot.claims) == {"default/common", "default/high-own"}


def test_a_claim_shared_with_a_victim_is_kept() -> None:
    common = (PodClaim("shared", "common"),)
    loop = Loop(two_devices(), Scheduler.of(NOW, exact_decides=True))
    assert placed(loop, replace(claiming("low", cpu=4000), claims=common))
    high = claiming("high", cpu=4000, priority=1)
    assert placed(loop, replace(high, claims=(*high.claims, *common)))
    kept = loop.snapshot.claims["default/common"]
    assert kept.allocation is not None
    assert [one.name for one in kept.reserved_for] == ["high"]
    loop.remove("default/high")
    assert loop.snapshot.claims == two_devices().claims


def test_a_loop_decides_by_the_exact_allocator_whatever_the_scheduler_uses() -> None:
    loop = Loop(two_devices(), Scheduler.of(NOW))
    place_as_from_scratch(loop, claiming("p"), Scheduler.of(NOW, exact_decides=True))
    (given,) = [claim.allocation for claim in loop.snapshot.claims.values() if claim.meta.name.startswith("p-")]
    assert given is not None
    assert [one.device.device for one in given.results] == ["d0"]


def test_an_old_scheduler_without_dynamic_resources() -> None:
    loop = Loop(cluster(node("a", gpu=1)), Scheduler.of(Kubernetes(31), exact_decides=True))
    assert placed(loop, pod("p", gpu=1))


def test_an_error_on_any_node_ends_the_attempt() -> None:
    there = two_devices().with_node(node("b"))
    odd = Slice(Meta("t"), DRIVER, "b", node_name="b", devices=(Device("d"),))
    sized = ClaimTemplate(Meta("sized", "default"), SPECS["sized"])
    loop = Loop(there.with_object(odd).with_object(sized), Scheduler.of(NOW, exact_decides=True))
    found = loop.place(claiming("p", "sized"))
    assert isinstance(found, Refusal)
    assert found.reason == "SchedulerError"


def test_a_claim_that_an_earlier_attempt_made_for_extended_resources() -> None:
    asking = replace(pod("p"), meta=Meta("p", "default", uid="u"), containers=(Container("main", {EXTENDED: 1}),))
    owner = Owner("Pod", "p", "u", controller=True)
    meta = Meta("p-extended", "default", annotations={ANNOTATION: "true"}, owners=(owner,))
    loop = Loop(two_devices().with_object(Claim(meta, SPECS["one"])), Scheduler.of(NOW, exact_decides=True))
    place_as_from_scratch(loop, asking, Scheduler.of(NOW, exact_decides=True))
    assert "default/p" not in loop.snapshot.pods


def test_claims_that_are_gone_do_not_matter_any_more() -> None:
    there = two_devices()
    named = replace(claiming("p"), claim_names={"own": "p-own"}, node_name="a")
    loop = Loop(there.with_pod(named), Scheduler.of(NOW, exact_decides=True))
    loop.remove("default/p")
    assert set(loop.snapshot.claims) == {"default/common"}


def test_claims_that_say_the_same_are_one_question() -> None:
    specs = [ClaimSpec((Request("r", SubRequest("r", "any", capacity={})),)) for _ in range(3)]
    claims = [Claim(Meta(f"own-{n}", "default"), one) for n, one in enumerate(specs)]
    loop = Loop(two_devices().altered({}, {one.meta.key: one for one in claims}), Scheduler.of(NOW, exact_decides=True))
    asking = [replace(claiming(f"p{n}"), claims=(PodClaim("own", one.meta.name),)) for n, one in enumerate(claims)]
    assert [placed(loop, one) for one in asking] == [True, True, False]
