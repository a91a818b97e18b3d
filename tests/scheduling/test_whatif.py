"""Placing pods one after the other."""

from aliquot.scheduling.outcome import Placement, Refusal
from aliquot.scheduling.whatif import place, queue, replay
from scenarios.nouns.clusters import GPU, NOW, cluster, node, pod


def test_the_queue_goes_by_priority_and_age() -> None:
    pods = [pod("a"), pod("b", priority=2), pod("c"), pod("d", priority=2)]
    assert [p.name for p in queue(pods)] == ["b", "d", "a", "c"]


def test_each_pod_meets_what_the_earlier_left() -> None:
    there = cluster(node("n", gpu=2), node("m", gpu=1))
    found = replay(there, [pod("a", gpu=2), pod("b", gpu=1), pod("c", gpu=1)], NOW)
    assert isinstance(found.verdicts["default/a"], Placement)
    assert isinstance(found.verdicts["default/b"], Placement)
    assert isinstance(found.verdicts["default/c"], Refusal)
    assert [load.free(GPU) for load in found.snapshot.loads()] == [0, 0]


def test_victims_go_and_the_choice_is_the_callers() -> None:
    there = cluster(node("n", gpu=1), node("m", gpu=1), pod("low", "n", gpu=1), pod("other", "m", gpu=1, priority=9))
    found = replay(there, [pod("p", gpu=1, priority=5)], NOW)
    assert "default/low" not in found.snapshot.pods
    assert found.snapshot.pods["default/p"].node_name == "n"
    free = cluster(node("n"), node("m"))
    chosen = replay(free, [pod("p")], NOW, choose=lambda placement: placement.nodes[-1])
    assert chosen.snapshot.pods["default/p"].node_name == "m"


def test_who_runs_is_left_where_it_is() -> None:
    there = cluster(node("n"), pod("p", "n"))
    found = replay(there, there.pods.values(), NOW)
    assert found.snapshot is there
    assert place(there, pod("p", "n"), Placement("default/p", "running", ("n",))) is there
