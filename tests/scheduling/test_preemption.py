"""Who would be evicted, where, and what is said when that's no help."""

from dataclasses import replace

import pytest

from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import LabelSelector, TopologySpread
from aliquot.kube.taints import Taint
from aliquot.scheduling.outcome import Placement, Preemption, Refusal
from aliquot.scheduling.preemption import by_importance
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import NOW, apart, cluster, node, pod

T1, T2, T3 = (f"2026-01-0{n}T00:00:00Z" for n in (1, 2, 3))


def preemption(snapshot: Snapshot, asking: Pod) -> Preemption:
    verdict = Scheduler(NOW).judge(snapshot, asking)
    assert isinstance(verdict, Placement)
    assert verdict.preemption is not None
    assert verdict.nodes == ()
    assert verdict.verdict == "placeable"
    return verdict.preemption


def refusal(snapshot: Snapshot, asking: Pod) -> Refusal:
    verdict = Scheduler(NOW).judge(snapshot, asking)
    assert isinstance(verdict, Refusal)
    return verdict


def test_a_lower_pod_goes() -> None:
    there = cluster(node("n", gpu=1), pod("low", "n", gpu=1, priority=1))
    found = Scheduler(NOW).judge(there, pod("p", gpu=1, priority=5))
    assert isinstance(found, Placement)
    assert found.preemption == Preemption("n", ("default/low",))
    assert found.message == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
    assert found.not_checked == ("pod disruption budgets: none is counted as violated by the preemption",)


def test_equals_stay() -> None:
    found = refusal(cluster(node("n", gpu=1), pod("same", "n", gpu=1, priority=5)), pod("p", gpu=1, priority=5))
    assert found.preemption_counts == {"No preemption victims found for incoming pod": 1}
    assert found.message == (
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: "
        "0/1 nodes are available: 1 No preemption victims found for incoming pod."
    )


def test_no_more_go_than_must_and_the_important_stay() -> None:
    there = cluster(
        node("n", gpu=4),
        pod("a", "n", gpu=1, priority=1, started=T1),
        pod("b", "n", gpu=1, priority=3, started=T1),
        pod("c", "n", gpu=1, priority=1, started=T2),
        pod("d", "n", gpu=1, priority=2, started=T1),
    )
    assert preemption(there, pod("p", gpu=1, priority=9)).victims == ("default/c",)
    assert preemption(there, pod("p", gpu=2, priority=9)).victims == ("default/a", "default/c")
    assert preemption(there, pod("p", gpu=3, priority=9)).victims == ("default/d", "default/a", "default/c")


def test_a_big_one_may_go_for_a_small_one() -> None:
    """Bringing back goes by importance, not by size."""
    there = cluster(
        node("n", gpu=4), pod("big", "n", gpu=3, priority=1, started=T1), pod("small", "n", gpu=1, started=T1)
    )
    assert preemption(there, pod("p", gpu=2, priority=9)).victims == ("default/big",)


def on_two(first: list[Pod], second: list[Pod]) -> Snapshot:
    pods = [replace(p, node_name=name) for name, group in (("a", first), ("b", second)) for p in group]
    return cluster(node("a", gpu=2), node("b", gpu=2), *pods)


@pytest.mark.parametrize(
    ("first", "second", "chosen"),
    [
        # the lowest of the highest victims
        ([pod("1", gpu=2, priority=3)], [pod("2", gpu=2, priority=2)], "b"),
        # then the least sum of priorities
        ([pod("1", gpu=1, priority=3), pod("2", gpu=1, priority=2)], [pod("3", gpu=2, priority=3)], "b"),
        ([pod("1", gpu=2, priority=3)], [pod("2", gpu=1, priority=3), pod("3", gpu=1, priority=-5)], "a"),
        # then the latest start of the most important
        ([pod("1", gpu=2, priority=1, started=T1)], [pod("2", gpu=2, priority=1, started=T2)], "b"),
        ([pod("1", gpu=2, priority=1)], [pod("2", gpu=2, priority=1, started=T2)], "a"),
    ],
)
def test_the_least_harm_is_done(first: list[Pod], second: list[Pod], chosen: str) -> None:
    found = preemption(on_two(first, second), pod("p", gpu=2, priority=9))
    assert found.node == chosen
    assert found.certain


def test_a_tie_is_told() -> None:
    there = on_two([pod("1", gpu=2, started=T1)], [pod("2", gpu=2, started=T1)])
    found = preemption(there, pod("p", gpu=2, priority=9))
    assert (found.node, found.alternatives, found.certain) == ("a", ("b",), False)


def test_what_preemption_says_of_each_node() -> None:
    there = cluster(
        node("small", gpu=1),
        node("tainted", gpu=8, taints=(Taint("t", "NoSchedule"),)),
        node("high", gpu=2),
        node("mixed", gpu=2),
        pod("h", "high", gpu=2, priority=9),
        pod("m1", "mixed", gpu=1, priority=9),
        pod("m2", "mixed", gpu=1, priority=1),
    )
    found = refusal(there, pod("p", gpu=2, priority=5))
    assert found.preemption_counts == {
        "Preemption is not helpful for scheduling": 2,
        "No preemption victims found for incoming pod": 1,
        "Insufficient nvidia.com/gpu": 1,
    }
    assert found.message.endswith(
        "preemption: 0/4 nodes are available: 1 Insufficient nvidia.com/gpu, "
        "1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
    )


def test_never_means_never() -> None:
    there = cluster(node("n", gpu=1), pod("low", "n", gpu=1))
    found = refusal(there, pod("p", gpu=1, priority=5, policy="Never"))
    assert found.message == (
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, "
        "preemption: not eligible due to preemptionPolicy=Never."
    )
    assert found.preemption_counts == {}


def test_victims_that_are_still_going_are_waited_for() -> None:
    there = cluster(
        node("n", gpu=2),
        pod("going", "n", gpu=1, deleted=T3),
        pod("staying", "n", gpu=1, priority=9),
        pod("p", gpu=1, priority=5, nominated="n"),
    )
    found = refusal(there, there.pods["default/p"])
    assert found.message.endswith("preemption: not eligible due to a terminating pod on the nominated node.")
    elsewhere = there.with_node(node("n", gpu=2, taints=(Taint("t", "NoSchedule"),)))
    assert "terminating" not in refusal(elsewhere, there.pods["default/p"]).message
    gone = there.without_node("n").with_node(node("m"))
    assert "terminating" not in refusal(gone, there.pods["default/p"]).message


def test_anti_affinity_can_be_preempted() -> None:
    shy = pod("shy", "n", app="shy", affinity=apart("loud"))
    found = preemption(cluster(node("n"), shy), pod("p", app="loud", priority=5))
    assert found.victims == ("default/shy",)
    own = preemption(cluster(node("n"), pod("x", "n", app="x")), pod("p", priority=5, affinity=apart("x")))
    assert own.victims == ("default/x",)


def test_a_skew_can_be_preempted() -> None:
    web = LabelSelector({"app": "web"})
    rule = TopologySpread(1, "kubernetes.io/hostname", selector=web)
    there = cluster(
        node("a"), node("b", cpu=1), pod("w1", "a", app="web", started=T1), pod("w2", "a", app="web", started=T2)
    )
    found = preemption(there, pod("p", app="web", cpu=100, priority=5, spread=(rule,)))
    assert (found.node, found.victims) == ("a", ("default/w1", "default/w2"))


def test_room_is_left_for_who_was_promised_it() -> None:
    there = cluster(
        node("n", gpu=2),
        pod("low", "n", gpu=1, priority=1),
        pod("waits", gpu=1, priority=9, nominated="n"),
    )
    found = preemption(there, pod("p", gpu=1, priority=5))
    assert found.victims == ("default/low",)
    # one of lower priority may be passed over
    assert isinstance(Scheduler(NOW).judge(there, pod("p", gpu=1, priority=10)), Placement)
    assert Scheduler(NOW).judge(there, pod("p", gpu=1, priority=10)).not_checked == ()


@pytest.mark.parametrize(
    ("pods", "order"),
    [
        ([("a", 1, T1), ("b", 2, T2)], "ba"),
        ([("a", 1, T2), ("b", 1, T1)], "ba"),
        ([("a", 1, T1), ("b", 1, T1)], "ab"),
        ([("a", 1, None), ("b", 1, T1)], "ba"),
        ([("a", 1, T1), ("b", 1, None)], "ab"),
        ([("a", 1, None), ("b", 1, None), ("c", 1, None)], "cba"),
    ],
)
def test_importance(pods: list[tuple[str, int, str | None]], order: str) -> None:
    made = [pod(name, priority=priority, started=started) for name, priority, started in pods]
    assert "".join(p.name for p in by_importance(made)) == order


def test_many_candidates_make_the_choice_a_matter_of_chance() -> None:
    nodes = [node(f"n{n:03}", gpu=1) for n in range(120)]
    pods = [pod(f"p{n:03}", f"n{n:03}", gpu=1, started=T1) for n in range(120)]
    found = preemption(cluster(*nodes, *pods), pod("p", gpu=1, priority=1))
    assert not found.certain
    assert len(found.alternatives) == 99


def test_a_changed_node_is_seen() -> None:
    there = cluster(node("n", gpu=1), pod("high", "n", gpu=1, priority=9), Node(Meta("empty")))
    asking = pod("p", gpu=1, priority=5)
    assert isinstance(Scheduler(NOW).judge(there, asking), Refusal)
    lowered = there.with_pod(replace(there.pods["default/high"], priority=1))
    assert preemption(lowered, asking).node == "n"
