"""Which nodes are selected, and which selectors are broken."""

import pytest

from aliquot.allocation.rules.reach import BrokenSelectorError, reaches, selects
from aliquot.kube.meta import Meta
from aliquot.kube.node import Node
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm, Requirement

NODE = Node(Meta("n1", labels={"zone": "a", "gpus": "4"}))


def selector(*expressions: Requirement, fields: tuple[Requirement, ...] = ()) -> NodeSelector:
    return NodeSelector((NodeSelectorTerm(expressions, fields),))


@pytest.mark.parametrize(
    ("name", "all_nodes", "chosen", "reached"),
    [
        ("n1", None, None, True),
        ("n2", True, None, False),
        (None, True, None, True),
        ("", False, selector(Requirement("zone", "In", ("a",))), True),
        (None, False, None, False),
    ],
)
def test_name_then_all_then_selector(
    name: str | None, all_nodes: bool | None, chosen: NodeSelector | None, *, reached: bool
) -> None:
    assert reaches(NODE, name, all_nodes, chosen) == reached


@pytest.mark.parametrize(
    ("one", "selected"),
    [
        (Requirement("zone", "In", ("a", "b")), True),
        (Requirement("zone", "NotIn", ("a",)), False),
        (Requirement("nope", "NotIn", ("a",)), True),
        (Requirement("gpus", "Exists"), True),
        (Requirement("gpus", "DoesNotExist"), False),
        (Requirement("gpus", "Gt", ("3",)), True),
        (Requirement("gpus", "Lt", ("4",)), False),
    ],
)
def test_expressions(one: Requirement, *, selected: bool) -> None:
    assert selects(selector(one), NODE) == selected


def test_any_term_is_enough_and_an_empty_one_selects_nothing() -> None:
    here = Requirement("metadata.name", "In", ("n1",))
    assert selects(NodeSelector((NodeSelectorTerm(), NodeSelectorTerm(fields=(here,)))), NODE)
    assert not selects(NodeSelector((NodeSelectorTerm(),)), NODE)


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (selector(Requirement("zone", "In")), "values must not be empty"),
        (selector(Requirement("zone", "Exists", ("a",))), "values must be empty"),
        (selector(Requirement("zone", "Gt", ("a",))), "needs exactly one integer"),
        (selector(Requirement("zone", "Near", ("a",))), "'Near' is not supported"),
        (selector(Requirement("a b", "Exists")), "is not a label key"),
        (selector(Requirement("Example.com/x", "Exists")), "is not a label key"),
        (selector(Requirement("zone", "In", ("a b",))), "is not a label value"),
        (selector(fields=(Requirement("metadata.name", "Exists"),)), "operator 'Exists' is not supported"),
        (selector(fields=(Requirement("metadata.name", "In", ("a", "b")),)), "must have one value"),
    ],
)
def test_broken_selectors_name_their_problem(broken: NodeSelector, problem: str) -> None:
    with pytest.raises(BrokenSelectorError, match=problem):
        selects(broken, NODE)


def test_one_broken_term_breaks_all() -> None:
    fine, broken = NodeSelectorTerm((Requirement("zone", "Exists"),)), NodeSelectorTerm((Requirement("zone", "In"),))
    with pytest.raises(BrokenSelectorError):
        selects(NodeSelector((fine, broken)), NODE)
