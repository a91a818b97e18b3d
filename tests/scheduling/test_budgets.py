"""PodDisruptionBudgets in preemption: who goes, where, and that it's counted."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.kube.disruption import DisruptionBudget
from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import LabelSelector
from aliquot.scheduling.budgets import covers, violated
from aliquot.scheduling.outcome import Placement, Preemption
from aliquot.scheduling.scheduler import Scheduler
from scenarios.nouns.clusters import NOW, cluster, node, pod


def budget(
    app: str, allowed: int = 0, *, disrupted: tuple[str, ...] = (), namespace: str = "default"
) -> DisruptionBudget:
    return DisruptionBudget(Meta(app, namespace), LabelSelector({"app": app}), allowed, frozenset(disrupted))


def preemption(asking: Pod, *things: object) -> Preemption:
    found = Scheduler(NOW).judge(cluster(*things), asking)
    assert isinstance(found, Placement)
    assert found.preemption is not None
    assert found.not_checked == ()
    return found.preemption


def test_a_pod_that_may_not_go_is_brought_back_first() -> None:
    things = (
        node("n", gpu=2),
        pod("kept", "n", app="kept", gpu=1, priority=1),
        pod("free", "n", app="free", gpu=1, priority=2),
    )
    asking = pod("p", gpu=1, priority=5)
    assert preemption(asking, *things, budget("other")).victims == ("default/kept",)
    assert preemption(asking, *things, budget("kept")).victims == ("default/free",)


def test_the_node_with_fewest_violations_is_taken() -> None:
    things = (
        node("a", gpu=1),
        node("b", gpu=1),
        pod("kept", "a", app="kept", gpu=1, priority=1),
        pod("free", "b", app="free", gpu=1, priority=2),
    )
    assert preemption(pod("p", gpu=1, priority=5), *things, budget("other")).node == "a"
    found = preemption(pod("p", gpu=1, priority=5), *things, budget("kept"))
    assert (found.node, found.violations) == ("b", 0)


def test_a_budget_doesnt_save_a_pod_if_nothing_else_helps() -> None:
    found = preemption(
        pod("p", gpu=1, priority=5), node("a", gpu=1), pod("kept", "a", app="kept", gpu=1), budget("kept")
    )
    assert (found.victims, found.violations) == (("default/kept",), 1)


def test_victims_are_told_the_most_important_first() -> None:
    things = (
        node("n", gpu=2),
        pod("kept", "n", app="kept", gpu=1, priority=1),
        pod("free", "n", app="free", gpu=1, priority=2),
    )
    found = preemption(pod("p", gpu=2, priority=5), *things, budget("kept"))
    assert found.victims == ("default/free", "default/kept")


def violating(pods: Sequence[Pod], budgets: Sequence[DisruptionBudget]) -> tuple[tuple[Pod, ...], tuple[Pod, ...]]:
    found = list(violated(pods, budgets))
    return tuple(one for one, named in found if named), tuple(one for one, named in found if not named)


def test_a_budget_that_allows_some() -> None:
    pods = [pod(name, "n", app="a") for name in "xyz"]
    assert violating(pods, (budget("a", 2),)) == ((pods[2],), tuple(pods[:2]))
    assert violating(pods, (budget("a", 1, disrupted=("x",)),)) == ((pods[2],), tuple(pods[:2]))
    assert violating(pods, ()) == ((), tuple(pods))
    both = (budget("a", 1), budget("a", 2))
    assert [named for _, named in violated(pods, both)] == [
        (),
        (both[0].meta.key,),
        (both[0].meta.key, both[1].meta.key),
    ]


@pytest.mark.parametrize(
    ("there", "labels", "covered"),
    [
        (budget("a"), {"app": "a"}, True),
        (budget("a"), {"app": "b"}, False),
        (budget("a", namespace="other"), {"app": "a"}, False),
        (DisruptionBudget(Meta("all", "default"), LabelSelector()), {"app": "a"}, False),
        (DisruptionBudget(Meta("none", "default")), {"app": "a"}, False),
        (DisruptionBudget(Meta("all", "default"), LabelSelector()), {}, False),
    ],
)
def test_whom_a_budget_covers(there: DisruptionBudget, labels: Mapping[str, str], covered: bool) -> None:
    assert covers(there, pod("p", labels=labels)) is covered


@pytest.mark.law
@given(st.lists(st.sampled_from("ab"), max_size=6), st.integers(0, 3), st.integers(0, 3))
def test_each_pod_is_in_one_half_in_order(apps: list[str], first: int, second: int) -> None:
    pods = [pod(f"p{n}", "n", app=app) for n, app in enumerate(apps)]
    against, others = violating(pods, (budget("a", first), budget("b", second)))
    assert sorted((*against, *others), key=pods.index) == pods
    assert list(against) == sorted(against, key=pods.index)
    assert len(against) == max(apps.count("a") - first, 0) + max(apps.count("b") - second, 0)
