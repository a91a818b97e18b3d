"""Selectors and tolerations, by the API's rules."""

import pytest

from aliquot.kube.matching import (
    field_holds,
    holds,
    integer,
    node_selected,
    selector_key,
    selects,
    selects_all,
    tolerates,
)
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.taints import Taint, Toleration

LABELS = {"tier": "gold", "gpus": "8", "empty": ""}
NODE = Node(Meta("n1", labels=LABELS))


@pytest.mark.parametrize(
    ("key", "operator", "values", "expected"),
    [
        ("tier", "In", ("gold", "silver"), True),
        ("tier", "In", ("silver",), False),
        ("none", "In", ("gold",), False),
        ("tier", "NotIn", ("silver",), True),
        ("tier", "NotIn", ("gold",), False),
        ("none", "NotIn", ("gold",), True),
        ("empty", "Exists", (), True),
        ("none", "Exists", (), False),
        ("none", "DoesNotExist", (), True),
        ("empty", "DoesNotExist", (), False),
        ("gpus", "Gt", ("4",), True),
        ("gpus", "Gt", ("8",), False),
        ("gpus", "Lt", ("9",), True),
        ("gpus", "Lt", ("8",), False),
        ("tier", "Gt", ("4",), False),
        ("none", "Gt", ("4",), False),
        ("gpus", "Gt", ("four",), False),
        ("gpus", "Gt", ("1", "2"), False),
        ("tier", "Nearly", ("gold",), False),
    ],
)
def test_an_expression(key: str, operator: str, values: tuple[str, ...], expected: bool) -> None:
    assert holds(Requirement(key, operator, values), LABELS) is expected


@pytest.mark.parametrize(
    ("text", "number"),
    [("7", 7), ("-7", -7), ("+7", 7), ("007", 7), ("", None), ("7.0", None), ("1_0", None), (" 7", None), ("٣", None)],
)
def test_integers_are_gos(text: str, number: int | None) -> None:
    assert integer(text) == number


def test_integers_have_64_bits() -> None:
    assert integer("9223372036854775807") is not None
    assert integer("9223372036854775808") is None


def test_no_selector_selects_nothing_and_an_empty_one_everything() -> None:
    assert not selects(None, LABELS)
    assert selects(LabelSelector(), LABELS)
    assert selects_all(LabelSelector())
    assert not selects_all(LabelSelector({"tier": "gold"}))
    assert selects(LabelSelector({"tier": "gold"}, (Requirement("gpus", "Exists"),)), LABELS)
    assert not selects(LabelSelector({"tier": "gold"}, (Requirement("gpus", "DoesNotExist"),)), LABELS)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (NodeSelectorTerm(), False),
        (NodeSelectorTerm((Requirement("tier", "In", ("gold",)),)), True),
        (NodeSelectorTerm((Requirement("tier", "In", ("gold",)), Requirement("gpus", "Lt", ("8",)))), False),
        (NodeSelectorTerm(fields=(Requirement("metadata.name", "In", ("n1",)),)), True),
        (NodeSelectorTerm(fields=(Requirement("metadata.name", "NotIn", ("n1",)),)), False),
        (NodeSelectorTerm((Requirement("tier", "Exists"),), (Requirement("metadata.name", "In", ("n2",)),)), False),
        # malformed ones select nothing, whatever they mean
        (NodeSelectorTerm((Requirement("tier", "NotIn"),)), False),
        (NodeSelectorTerm((Requirement("none", "DoesNotExist", ("x",)),)), False),
        (NodeSelectorTerm((Requirement("gpus", "Gt", ("x",)),)), False),
        (NodeSelectorTerm((Requirement("gpus", "Nearly", ("8",)),)), False),
    ],
)
def test_a_node_term(term: NodeSelectorTerm, expected: bool) -> None:
    assert node_selected(NodeSelector((term,)), NODE) is expected


def test_any_term_will_do() -> None:
    terms = (NodeSelectorTerm(), NodeSelectorTerm((Requirement("tier", "Exists"),)))
    assert node_selected(NodeSelector(terms), NODE)
    assert not node_selected(NodeSelector(()), NODE)


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        (Requirement("metadata.name", "In", ("n1",)), True),
        (Requirement("metadata.name", "In", ("n1", "n2")), False),
        (Requirement("metadata.namespace", "In", ("",)), True),
        (Requirement("metadata.namespace", "NotIn", ("n1",)), True),
        (Requirement("metadata.name", "Exists", ("n2",)), False),
    ],
)
def test_fields_take_one_value(field: Requirement, expected: bool) -> None:
    assert field_holds(field, "n1") is expected


@pytest.mark.parametrize(
    ("toleration", "taint", "expected"),
    [
        (Toleration("gpu", "Exists"), Taint("gpu", "NoSchedule", "a"), True),
        (Toleration("gpu", "Exists", effect="NoExecute"), Taint("gpu", "NoSchedule"), False),
        (Toleration("gpu", "Equal", "a"), Taint("gpu", "NoSchedule", "a"), True),
        (Toleration("gpu", "", "a"), Taint("gpu", "NoSchedule", "a"), True),
        (Toleration("gpu", "Equal", "b"), Taint("gpu", "NoSchedule", "a"), False),
        (Toleration("", "Exists"), Taint("anything", "NoExecute", "a"), True),
        (Toleration("other", "Exists"), Taint("gpu", "NoSchedule"), False),
        (Toleration("age", "Gt", "5"), Taint("age", "NoSchedule", "6"), True),
        (Toleration("age", "Gt", "5"), Taint("age", "NoSchedule", "5"), False),
        (Toleration("age", "Lt", "5"), Taint("age", "NoSchedule", "-6"), True),
        (Toleration("age", "Lt", "5"), Taint("age", "NoSchedule", "old"), False),
        (Toleration("age", "Gt", "05"), Taint("age", "NoSchedule", "6"), False),
        (Toleration("age", "Nearly", "5"), Taint("age", "NoSchedule", "5"), False),
    ],
)
def test_a_toleration(toleration: Toleration, taint: Taint, expected: bool) -> None:
    assert tolerates(toleration, taint, comparisons=True) is expected


def test_comparisons_need_their_gate() -> None:
    assert not tolerates(Toleration("age", "Gt", "5"), Taint("age", "NoSchedule", "6"), comparisons=False)


def test_equal_selectors_have_equal_keys() -> None:
    one = LabelSelector({"a": "1", "b": "2"})
    other = LabelSelector({"b": "2", "a": "1"})
    assert selector_key(one) == selector_key(other) != selector_key(LabelSelector({"a": "1"}))
    assert selector_key(None) != selector_key(LabelSelector())
