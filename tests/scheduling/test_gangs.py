"""Pods that are placed together or not at all."""

from dataclasses import replace

import pytest

from aliquot.kube.groups import KUBERNETES, GangWorkload, PodGroup
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.scheduling.outcome import GangState, Placement, Refusal, Verdict
from aliquot.scheduling.placing.placing_loop import Loop
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import NOW, cluster, node, pod

WAITS = (
    "pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, "
    "one or more plugins asked to wait and no plugin rejected pod"
)


def group(least: int | None, name: str = "trio", *, topology: bool = False) -> PodGroup:
    return PodGroup(api=KUBERNETES, meta=Meta(name, "default"), least=least, topology=topology)


def member(name: str, on: str = "", priority: int = 0) -> Pod:
    return replace(pod(name, on, gpu=1, priority=priority), scheduling_group="trio")


def judge(there: Snapshot, name: str, kubernetes: Kubernetes = NOW) -> Verdict:
    return Scheduler(kubernetes).judge(there, there.pods[f"default/{name}"])


def test_a_gang_that_fits() -> None:
    there = cluster(node("n", gpu=3), group(3), *(member(f"m{n}") for n in range(3)))
    verdicts = [judge(there, f"m{n}") for n in range(3)]
    assert [one.nodes for one in verdicts if isinstance(one, Placement)] == [("n",)] * 3
    assert {one.not_checked for one in verdicts} == {()}


def test_a_gang_that_is_too_large() -> None:
    there = cluster(node("n", gpu=2), group(3), *(member(f"m{n}") for n in range(3)))
    first, last = judge(there, "m0"), judge(there, "m2")
    assert isinstance(first, Refusal)
    assert isinstance(last, Refusal)
    assert (first.message, first.reason) == (WAITS, "Unschedulable")
    assert last.counts == {"Insufficient nvidia.com/gpu": 1}
    assert first.gang == last.gang == GangState("default/trio", least=3, members=3, placed=2)
    assert first.reasons("n") == ()


def test_more_than_the_least_may_wait() -> None:
    there = cluster(node("n", gpu=2), group(2), *(member(f"m{n}") for n in range(3)))
    assert isinstance(judge(there, "m0"), Placement)
    last = judge(there, "m2")
    assert isinstance(last, Refusal)
    assert last.gang is None


def test_those_that_have_a_node_count() -> None:
    there = cluster(node("n", gpu=2), group(2), member("m0", on="n"), member("m1"))
    assert isinstance(judge(there, "m1"), Placement)


def test_the_important_ones_come_first() -> None:
    there = cluster(node("n", gpu=1), group(2), member("m0"), member("m1", priority=1))
    assert [judge(there, name).message == WAITS for name in ("m0", "m1")] == [False, True]


@pytest.mark.parametrize("things", [(group(3), member("m0")), (group(3, "other"), member("m0"))])
def test_a_gang_that_is_not_complete_is_looked_at_by_nobody(things: tuple[object, ...]) -> None:
    found = judge(cluster(node("n", gpu=8), *things), "m0")
    assert isinstance(found, Refusal)
    assert (found.verdict, found.reason, found.message) == ("pending", "", "")
    assert found.gang is not None
    assert found.gang.members == 1


def test_without_groups_in_the_input_a_pod_is_judged_alone() -> None:
    found = judge(cluster(node("n", gpu=1), member("m0")), "m0")
    assert isinstance(found, Placement)
    assert found.not_checked == ("gang scheduling: the pod is judged without its group trio",)


def test_a_group_without_a_least_number_is_no_gang() -> None:
    there = cluster(node("n", gpu=1), group(None), member("m0"), member("m1"))
    assert isinstance(judge(there, "m1"), Placement)


def test_preemption_for_a_gang() -> None:
    low = pod("low", "n", gpu=1)
    there = cluster(node("n", gpu=2), low, group(2), member("m0", priority=1), member("m1", priority=1))
    first, second = judge(there, "m0"), judge(there, "m1")
    assert isinstance(first, Placement)
    assert isinstance(second, Placement)
    assert (first.nodes, first.preemption) == (("n",), None)
    assert first.message == "pod group is unschedulable, pod group is waiting for preemption to complete"
    assert second.preemption is not None
    assert second.preemption.victims == ("default/low",)


def test_gangs_of_1_35_stand_in_their_workload() -> None:
    owner = GangWorkload(Meta("w", "default"), (("trio", 3),))
    members = [replace(member(f"m{n}"), group_workload="w") for n in range(3)]
    there = cluster(node("n", gpu=2), owner, *members)
    found = judge(there, "m0", Kubernetes(35))
    assert isinstance(found, Refusal)
    assert found.gang == GangState("default/w/trio", least=3, members=3, placed=2)
    assert found.message == ""
    assert isinstance(judge(there, "m0", Kubernetes(34)), Placement)


def test_from_1_37_the_message_counts() -> None:
    there = cluster(node("n", gpu=1), group(3), *(member(f"m{n}") for n in range(3)))
    first, second, third = (judge(there, f"m{n}", Kubernetes(37)) for n in range(3))
    text = (
        "pod group is unschedulable, minCount (3) cannot be satisfied: 1 scheduled, 1 remaining, "
        "pod group preemption: No preemption victims found for incoming preemptor"
    )
    assert isinstance(first, Refusal)
    assert isinstance(second, Refusal)
    assert isinstance(third, Refusal)
    assert first.message == f"pod group is unschedulable, {text}"
    assert second.message == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
    assert third.message == text


def test_constraints_on_topology_are_named() -> None:
    there = cluster(node("n", gpu=1), group(1, topology=True), member("m0"))
    assert judge(there, "m0").not_checked == ("gang scheduling: its constraints on topology",)


def test_a_what_if_is_judged_anew() -> None:
    there = cluster(node("n", gpu=2), group(3), *(member(f"m{n}") for n in range(3)))
    assert isinstance(judge(there, "m0"), Refusal)
    assert isinstance(judge(there.with_node(node("more", gpu=1)), "m0"), Placement)
    assert isinstance(judge(there.with_object(group(2)), "m0"), Placement)


def test_the_loop_places_pods_by_themselves() -> None:
    there = cluster(node("n", gpu=2), group(3), *(member(f"m{n}") for n in range(3)))
    loop = Loop(there, Scheduler(NOW))
    assert isinstance(loop.place(there.pods["default/m0"]), Placement)
