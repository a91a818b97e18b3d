"""Which nodes a device or a slice can be reached from: node name, all nodes, or a node selector.

Node selectors are read as k8s.io/component-helpers' nodeaffinity reads them: any broken term is an error.
"""

import re
from collections.abc import Sequence
from typing import Final

from aliquot.kube.matching import integer, term_selects
from aliquot.kube.node import Node
from aliquot.kube.selectors import NodeSelector, NodeSelectorTerm

_NAME: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)")
_VALUE: Final = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_PREFIX: Final = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")


class BrokenSelectorError(ValueError):
    """A node selector that can't be parsed."""


def reaches(node: Node, node_name: str | None, all_nodes: bool | None, selector: NodeSelector | None) -> bool:
    """Says whether a node is selected.

    Raises:
        BrokenSelectorError: the selector can't be parsed; upstream treats that as fatal.
    """
    if node_name:
        return node.name == node_name
    if all_nodes:
        return True
    return selector is not None and selects(selector, node)


def selects(selector: NodeSelector, node: Node) -> bool:
    """Says whether any term of a node selector matches.

    Raises:
        BrokenSelectorError: some term can't be parsed, even if another matches.
    """
    terms = [term for term in selector.terms if term.expressions or term.fields]
    problems = [problem for term in terms for problem in _problems(term)]
    if problems:
        raise BrokenSelectorError("; ".join(problems))
    return any(term_selects(term, node) for term in terms)


def _problems(term: NodeSelectorTerm) -> Sequence[str]:
    problems: list[str] = []
    for requirement in term.expressions:
        match requirement.operator:
            case "In" | "NotIn":
                if not requirement.values:
                    problems.append(f"{requirement.key}: values must not be empty for operator {requirement.operator}")
            case "Exists" | "DoesNotExist":
                if requirement.values:
                    problems.append(f"{requirement.key}: values must be empty for operator {requirement.operator}")
            case "Gt" | "Lt":
                if len(requirement.values) != 1 or integer(requirement.values[0]) is None:
                    problems.append(f"{requirement.key}: operator {requirement.operator} needs exactly one integer")
            case _:
                problems.append(f"{requirement.key}: operator {requirement.operator!r} is not supported")
        if not _is_key(requirement.key):
            problems.append(f"{requirement.key!r} is not a label key")
        problems.extend(
            f"{requirement.key}: {value!r} is not a label value" for value in requirement.values if not _is_value(value)
        )
    for requirement in term.fields:
        if requirement.operator not in ("In", "NotIn"):
            problems.append(f"field {requirement.key}: operator {requirement.operator!r} is not supported")
        elif len(requirement.values) != 1:
            problems.append(f"field {requirement.key}: must have one value")
    return problems


def _is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    return _NAME.fullmatch(name) is not None and (
        not slash or (len(prefix) <= 253 and _PREFIX.fullmatch(prefix) is not None)
    )


def _is_value(value: str) -> bool:
    return _VALUE.fullmatch(value) is not None
