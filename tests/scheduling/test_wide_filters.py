"""Filters that look beyond the node: topology spread and inter-pod affinity."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from aliquot.kube.meta import Meta
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import Affinity, LabelSelector, PodAffinityTerm, Requirement, TopologySpread
from aliquot.kube.taints import Taint, Toleration
from aliquot.kube.workload import Namespace
from aliquot.scheduling.filters.inter_pod_affinity import neighbours_of, unfriendly
from aliquot.scheduling.filters.pod_topology_spread import skewed, spread_of
from aliquot.scheduling.outcome import Placement
from aliquot.scheduling.scheduler import Scheduler
from aliquot.snapshot.snapshot import Snapshot
from scenarios.nouns.clusters import NOW, apart, beside, cluster, node, pod, term

ZONE = "zone"
WEB = LabelSelector({"app": "web"})


def spread(selector: LabelSelector | None = WEB, key: str = ZONE, skew: int = 1, **more: Any) -> TopologySpread:
    return replace(TopologySpread(skew, key, selector=selector), **more)


def zones(*more: object, **nodes: str) -> Snapshot:
    """Nodes by name in zones; an empty one has no zone."""
    return cluster(*(node(n, labels={ZONE: z} if z else {}) for n, z in nodes.items()), *more)


def feasible(snapshot: Snapshot, asking: Pod) -> set[str]:
    verdict = Scheduler(NOW).judge(snapshot, asking)
    return set(verdict.nodes) if isinstance(verdict, Placement) else set()


def web(*constraints: TopologySpread, app: str = "web", **more: Any) -> Pod:
    return replace(pod("new", app=app, spread=constraints), **more)


def test_pods_are_kept_level_over_zones() -> None:
    found = zones(pod("w1", "a", app="web"), a="x", b="y", c="z")
    assert feasible(found, web(spread())) == {"b", "c"}
    assert feasible(found, web(spread(skew=2))) == {"a", "b", "c"}
    assert feasible(found, web(spread(), app="other")) == {"a", "b", "c"}  # it doesn't count itself


def test_a_skew_is_told_with_its_numbers() -> None:
    found = zones(pod("w1", "a", app="web"), pod("w2", "a", app="web"), a="x", b="y", c="")
    state = spread_of(found, web(spread()), NOW)
    assert state is not None
    (reason,) = skewed(state, found.nodes["a"])
    assert (reason.text, reason.found, reason.preemptible) == (
        "node(s) didn't match pod topology spread constraints",
        "3 with this pod in x, 0 where there are fewest",
        True,
    )
    (reason,) = skewed(state, found.nodes["c"])
    assert reason.text == "node(s) didn't match pod topology spread constraints (missing required label)"
    assert not reason.preemptible
    assert not skewed(state, found.nodes["b"])


def test_only_hard_constraints_count() -> None:
    assert spread_of(zones(a="x"), web(spread(when_unsatisfiable="ScheduleAnyway")), NOW) is None


@pytest.mark.parametrize(("least", "expected"), [(1, {"a", "b"}), (2, {"a", "b"}), (3, set[str]())])
def test_too_few_domains_make_the_least_zero(least: int, expected: set[str]) -> None:
    pods = [pod("w1", "a", app="web"), pod("w2", "b", app="web")]
    assert feasible(zones(*pods, a="x", b="y"), web(spread(min_domains=least))) == expected


def test_pods_that_go_or_are_elsewhere_or_done_do_not_count() -> None:
    pods = [
        pod("going", "a", app="web", deleted="2026-01-01T00:00:00Z"),
        pod("theirs", "a", app="web", namespace="other"),
        pod("done", "a", app="web", phase="Succeeded"),
        pod("waiting", app="web"),
    ]
    assert feasible(zones(*pods, a="x", b="y"), web(spread())) == {"a", "b"}


@pytest.mark.parametrize(("policy", "expected"), [("Honor", {"a"}), ("Ignore", set[str]())])
def test_nodes_that_the_pod_does_not_want_may_be_left_out(policy: str, expected: set[str]) -> None:
    found = cluster(
        node("a", labels={ZONE: "x", "tier": "gold"}), node("b", labels={ZONE: "y"}), pod("w1", "a", app="web")
    )
    asking = replace(web(spread(node_affinity_policy=policy)), node_selector={"tier": "gold"})
    assert feasible(found, asking) == expected


@pytest.mark.parametrize(("policy", "expected"), [("Honor", {"a"}), ("Ignore", set[str]())])
def test_tainted_nodes_may_be_left_out(policy: str, expected: set[str]) -> None:
    found = cluster(
        node("a", labels={ZONE: "x"}),
        node("b", labels={ZONE: "y"}, taints=(Taint("gpu", "NoSchedule"),)),
        pod("w1", "a", app="web"),
    )
    assert feasible(found, web(spread(node_taints_policy=policy))) == expected


def test_match_label_keys_narrow_the_selector() -> None:
    old = pod("w1", "a", app="web", labels={"hash": "1"})
    found = zones(old, a="x", b="y")
    asking = pod("new", app="web", labels={"hash": "2"}, spread=(spread(match_label_keys=("hash", "none")),))
    assert feasible(found, asking) == {"a", "b"}
    assert feasible(found, replace(asking, topology_spread=(spread(),))) == {"b"}


@pytest.mark.parametrize("selector", [None, LabelSelector()])
def test_a_selector_that_asks_nothing_counts_nothing(selector: LabelSelector | None) -> None:
    found = zones(pod("w1", "a", app="web"), pod("w2", "a", app="web"), a="x", b="y")
    assert feasible(found, web(spread(selector, match_label_keys=("app",) if selector is None else ()))) == {"a", "b"}


def test_every_constraint_must_hold() -> None:
    found = zones(pod("w1", "a", app="web"), a="x", b="x", c="y")
    assert feasible(found, web(spread(), spread(key="kubernetes.io/hostname"))) == {"c"}


# --- inter-pod affinity ---------------------------------------------------------------------------------------------


def texts(snapshot: Snapshot, asking: Pod, name: str) -> list[str]:
    state = neighbours_of(snapshot, asking)
    return [reason.text for reason in unfriendly(state, snapshot.nodes[name])] if state else []


def test_affinity_wants_company() -> None:
    found = zones(pod("db", "a", app="db"), a="x", b="x", c="y", d="")
    assert feasible(found, replace(pod("p"), affinity=beside("db", ZONE))) == {"a", "b"}
    asking = replace(pod("p"), affinity=beside("db", ZONE))
    assert texts(found, asking, "c") == ["node(s) didn't match pod affinity rules"]
    assert texts(found, asking, "d") == ["node(s) didn't match pod affinity rules"]


def test_the_first_of_a_group_may_start() -> None:
    found = zones(a="x", b="")
    assert feasible(found, pod("p", app="db", affinity=beside("db", ZONE))) == {"a"}
    assert feasible(found, pod("p", app="web", affinity=beside("db", ZONE))) == set()


def test_all_terms_must_be_about_the_same_pod() -> None:
    found = zones(pod("db", "a", app="db"), a="x", b="y")
    both = Affinity(pod=(term("db", ZONE), term("web", ZONE)))
    assert feasible(found, replace(pod("p"), affinity=both)) == set()
    one = Affinity(pod=(term("db", ZONE), PodAffinityTerm(ZONE, LabelSelector())))
    assert feasible(found, replace(pod("p"), affinity=one)) == {"a"}


def test_anti_affinity_keeps_apart_both_ways() -> None:
    shy = pod("shy", "a", app="shy", affinity=apart("loud", ZONE))
    found = zones(shy, pod("loud", "c", app="loud"), a="x", b="x", c="y", d="z")
    assert feasible(found, pod("p", affinity=apart("loud", ZONE))) == {"a", "b", "d"}
    assert feasible(found, pod("p", app="loud")) == {"c", "d"}
    assert texts(found, pod("p", app="loud"), "b") == ["node(s) didn't satisfy existing pods anti-affinity rules"]
    assert texts(found, pod("p", affinity=apart("loud", ZONE)), "c") == ["node(s) didn't match pod anti-affinity rules"]


def test_who_minds_nobody_has_no_neighbours() -> None:
    assert neighbours_of(zones(pod("x", "a", app="x"), a="x"), pod("p", app="web")) is None


SELECT_TEAM = LabelSelector({"team": "ml"})


@pytest.mark.parametrize(
    ("namespaces", "selector", "expected"),
    [
        ((), None, {"b"}),  # its own namespace
        (("other",), None, {"a"}),
        (("default", "other"), None, set[str]()),
        ((), SELECT_TEAM, {"a"}),
        (("default",), SELECT_TEAM, set[str]()),
        ((), LabelSelector(), set[str]()),  # all namespaces
    ],
)
def test_which_namespaces_a_term_is_about(
    namespaces: tuple[str, ...], selector: LabelSelector | None, expected: set[str]
) -> None:
    found = zones(
        pod("here", "a", app="db"),
        pod("there", "b", app="db", namespace="other"),
        Namespace(Meta("default")),
        Namespace(Meta("other", labels={"team": "ml"})),
        a="x",
        b="y",
    )
    rule = PodAffinityTerm(ZONE, LabelSelector({"app": "db"}), namespaces, selector)
    assert feasible(found, pod("p", affinity=Affinity(pod_anti=(rule,)))) == expected


def test_others_terms_see_this_pods_namespace() -> None:
    rule = PodAffinityTerm(ZONE, LabelSelector({"app": "db"}), (), SELECT_TEAM)
    shy = pod("shy", "a", namespace="far", affinity=Affinity(pod_anti=(rule,)))
    found = zones(shy, Namespace(Meta("ml", labels={"team": "ml"})), a="x", b="y")
    assert feasible(found, pod("p", app="db", namespace="ml")) == {"b"}
    assert feasible(found, pod("p", app="db", namespace="unknown")) == {"a", "b"}


@pytest.mark.parametrize(
    ("keys", "expected"), [({"match_label_keys": ("hash",)}, {"a", "b"}), ({"mismatch_label_keys": ("hash",)}, {"b"})]
)
def test_label_keys_fill_in_the_pods_own_values(keys: Mapping[str, Any], expected: set[str]) -> None:
    old = pod("old", "a", app="db", labels={"hash": "1"})
    rule = replace(PodAffinityTerm(ZONE, LabelSelector({"app": "db"})), **keys)
    asking = pod("p", app="db", labels={"hash": "2"}, affinity=Affinity(pod_anti=(rule,)))
    assert feasible(zones(old, a="x", b="y"), asking) == expected
    bare = replace(rule, selector=None)
    assert feasible(zones(old, a="x", b="y"), replace(asking, affinity=Affinity(pod_anti=(bare,)))) == {"a", "b"}


def test_terms_read_well() -> None:
    rule = PodAffinityTerm(ZONE, LabelSelector({"b": "2", "a": "1"}, (Requirement("c", "In", ("x", "y")),)))
    found = zones(a="x")
    state = neighbours_of(found, pod("p", affinity=Affinity(pod=(rule,))))
    assert state is not None
    (reason,) = unfriendly(state, found.nodes["a"])
    assert (reason.asked, reason.found) == ("beside pods with a=1, b=2, c In x,y", "none in zone=x")
    for selector, said in ((None, "no labels at all"), (LabelSelector(), "any labels")):
        rule = PodAffinityTerm("none", selector)
        state = neighbours_of(found, pod("p", affinity=Affinity(pod=(rule,))))
        assert state is not None
        assert unfriendly(state, found.nodes["a"])[0].asked == f"beside pods with {said}"


def test_a_bound_pod_fits_its_own_node_only() -> None:
    found = zones(a="x", b="y")
    there = replace(web(spread()), node_name="a")
    assert Scheduler(NOW).reasons(found, there, "a") == ()
    assert [reason.filter for reason in Scheduler(NOW).reasons(found, there, "b")] == ["NodeName"]


def test_a_toleration_counts_for_the_taints_policy() -> None:
    found = cluster(
        node("a", labels={ZONE: "x"}),
        node("b", labels={ZONE: "y"}, taints=(Taint("gpu", "NoSchedule"),)),
        pod("w1", "a", app="web"),
    )
    asking = replace(web(spread(node_taints_policy="Honor")), tolerations=(Toleration("gpu", "Exists"),))
    assert feasible(found, asking) == {"b"}
