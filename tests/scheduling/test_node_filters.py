"""Filters that look at the node alone: cordon, name, taints, affinity, features."""

import pytest

from aliquot.kube.matching import expression_text
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.release import Kubernetes
from aliquot.kube.selectors import Affinity, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.taints import Taint, Toleration
from aliquot.scheduling.filters.node_affinity import named_nodes, unwanted
from aliquot.scheduling.filters.node_declared_features import undeclared
from aliquot.scheduling.filters.node_name import other_node
from aliquot.scheduling.filters.node_unschedulable import cordoned
from aliquot.scheduling.filters.reason import counted
from aliquot.scheduling.filters.taint_toleration import untolerated
from scenarios.nouns.clusters import NOW, node, pod


@pytest.mark.parametrize(
    ("tolerations", "stays_out"),
    [
        ((), True),
        ((Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoSchedule"),), False),
        ((Toleration("", "Exists"),), False),
        ((Toleration("node.kubernetes.io/unschedulable", "Exists", effect="NoExecute"),), True),
    ],
)
def test_a_cordon_keeps_out_who_does_not_tolerate_it(tolerations: tuple[Toleration, ...], stays_out: bool) -> None:
    found = cordoned(pod("p", tolerations=tolerations), node("n", cordoned=True), NOW)
    assert [reason.text for reason in found] == ["node(s) were unschedulable"] * stays_out
    assert not any(reason.preemptible for reason in found)
    assert not cordoned(pod("p", tolerations=tolerations), node("n"), NOW)


def test_a_named_node_is_the_only_one() -> None:
    assert [r.text for r in other_node(pod("p", "a"), node("b"))] == ["node(s) didn't match the requested node name"]
    assert not other_node(pod("p", "a"), node("a"))
    assert not other_node(pod("p"), node("a"))


def test_taints_are_told_one_by_one_and_counted_once() -> None:
    taints = (Taint("a", "NoSchedule", "x"), Taint("b", "PreferNoSchedule"), Taint("c", "NoExecute"))
    found = untolerated(pod("p"), node("n", taints=taints), NOW)
    assert [(r.text, r.found, r.counts) for r in found] == [
        ("node(s) had untolerated taint(s)", "a=x:NoSchedule", True),
        ("node(s) had untolerated taint(s)", "c:NoExecute", False),
    ]
    assert counted(found) == found[:1]
    tolerant = pod("p", tolerations=(Toleration("a", "Exists"), Toleration("c", "Exists")))
    assert not untolerated(tolerant, node("n", taints=taints), NOW)


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (31, "node(s) had untolerated taint {gpu: yes}"),
        (34, "node(s) had untolerated taint {gpu: yes}"),
        (35, "node(s) had untolerated taint(s)"),
        (37, "node(s) had untolerated taint(s)"),
    ],
)
def test_older_releases_name_the_taint(minor: int, text: str) -> None:
    found = untolerated(pod("p"), node("n", taints=(Taint("gpu", "NoSchedule", "yes"),)), Kubernetes(minor))
    assert [reason.text for reason in found] == [text]


@pytest.mark.parametrize(("minor", "tolerated"), [(34, False), (35, True), (36, True)])
def test_comparing_tolerations_came_with_1_35(minor: int, tolerated: bool) -> None:
    taint = Taint("node.example.com/age", "NoExecute", "3")
    asking = pod("p", tolerations=(Toleration("node.example.com/age", "Lt", "5"),))
    assert bool(untolerated(asking, node("n", taints=(taint,)), Kubernetes(minor))) is not tolerated


def affine(*terms: NodeSelectorTerm, selector: dict[str, str] | None = None) -> Pod:
    return pod("p", selector=selector, affinity=Affinity(NodeSelector(terms)))


def test_wrong_and_missing_labels_are_told_one_by_one() -> None:
    found = unwanted(pod("p", selector={"tier": "gold", "gpu": "a100"}), node("n", labels={"tier": "silver"}))
    assert [(r.asked, r.found, r.subject, r.counts) for r in found] == [
        ("tier=gold", "tier=silver", "tier", True),
        ("gpu=a100", "no label gpu", "gpu", False),
    ]
    assert {r.text for r in found} == {"node(s) didn't match Pod's node affinity/selector"}
    assert not unwanted(pod("p", selector={"tier": "gold"}), node("n", labels={"tier": "gold"}))


def test_of_alternatives_the_nearest_is_told() -> None:
    far = NodeSelectorTerm((Requirement("a", "Exists"), Requirement("b", "Exists")))
    near = NodeSelectorTerm((Requirement("gpus", "Gt", ("4",)),))
    found = unwanted(affine(far, near), node("n", labels={"gpus": "2"}))
    assert [(r.asked, r.found) for r in found] == [("gpus > 4", "gpus=2")]
    assert not unwanted(affine(far, near), node("n", labels={"gpus": "8"}))


def test_selector_and_affinity_both_hold() -> None:
    term = NodeSelectorTerm((Requirement("zone", "In", ("a",)),))
    found = unwanted(affine(term, selector={"tier": "gold"}), node("n", labels={"zone": "b"}))
    assert [r.subject for r in found] == ["tier", "zone"]


def test_terms_that_can_match_nothing_are_still_a_reason() -> None:
    for terms in ((), (NodeSelectorTerm(),), (NodeSelectorTerm((Requirement("a", "NotIn"),)),)):
        found = unwanted(affine(*terms), node("n"))
        assert [(r.text, r.found) for r in found] == [
            ("node(s) didn't match Pod's node affinity/selector", "none does")
        ]


def names(operator: str, *values: str) -> Requirement:
    return Requirement("metadata.name", operator, values)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ((), None),
        ((NodeSelectorTerm(fields=(names("In", "a"),)),), {"a"}),
        ((NodeSelectorTerm(fields=(names("In", "a"),)), NodeSelectorTerm(fields=(names("In", "b"),))), {"a", "b"}),
        ((NodeSelectorTerm(fields=(names("In", "a"),)), NodeSelectorTerm((Requirement("x", "Exists"),))), None),
        ((NodeSelectorTerm(fields=(names("NotIn", "a"),)),), None),
        ((NodeSelectorTerm(fields=(names("In", "a"), names("In", "b"))),), set()),
    ],
)
def test_fields_narrow_the_nodes_that_are_looked_at(
    terms: tuple[NodeSelectorTerm, ...], expected: set[str] | None
) -> None:
    assert named_nodes(affine(*terms)) == expected
    assert named_nodes(pod("p")) is None


def test_a_field_that_does_not_match_is_told() -> None:
    found = unwanted(affine(NodeSelectorTerm(fields=(names("In", "a"),))), node("b"))
    assert [(r.asked, r.found) for r in found] == [("metadata.name=a", "metadata.name=b")]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Requirement("k", "In", ("a",)), "k=a"),
        (Requirement("k", "In", ("a", "b")), "k in (a, b)"),
        (Requirement("k", "NotIn", ("a",)), "k!=a"),
        (Requirement("k", "NotIn", ("a", "b")), "k notin (a, b)"),
        (Requirement("k", "Exists"), "k"),
        (Requirement("k", "DoesNotExist"), "!k"),
        (Requirement("k", "Lt", ("3",)), "k < 3"),
        (Requirement("k", "Nearly", ("3",)), "k Nearly"),
    ],
)
def test_expressions_read_like_kubectls(expression: Requirement, text: str) -> None:
    assert expression_text(expression) == text


def test_features_must_be_declared_from_1_36_on() -> None:
    asking = Pod(Meta("p", "ns"), needs_features=("UserNamespacesHostNetworkSupport",))
    plain, able = Node(Meta("n")), node("m", features=("UserNamespacesHostNetworkSupport",))
    assert [r.text for r in undeclared(asking, plain, NOW)] == ["node(s) didn't match Pod's required features"]
    assert undeclared(asking, plain, NOW)[0].found == "none declared"
    assert not undeclared(asking, able, NOW)
    assert not undeclared(asking, plain, Kubernetes(35))
