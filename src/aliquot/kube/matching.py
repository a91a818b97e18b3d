"""Whether selectors select and tolerations tolerate, by the API's rules (apimachinery labels, component-helpers)."""

import re
from collections.abc import Hashable, Mapping

from aliquot.kube.node import Node
from aliquot.kube.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from aliquot.kube.taints import Taint, Toleration

NAME_FIELD = "metadata.name"
_INTEGER = re.compile(r"[+-]?[0-9]+")
_INT64 = 1 << 63


def integer(text: str) -> int | None:
    """A decimal 64-bit integer, or None."""
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -_INT64 <= number < _INT64 else None


def holds(requirement: Requirement, labels: Mapping[str, str]) -> bool:
    """Whether labels meet one expression. NotIn and DoesNotExist hold for an absent key; Gt and Lt need integers."""
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value is None or value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            bound = integer(requirement.values[0]) if len(requirement.values) == 1 else None
            number = integer(value) if value is not None else None
            if bound is None or number is None:
                return False
            return number > bound if requirement.operator == "Gt" else number < bound
        case _:
            return False


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether a label selector selects these labels; an empty one selects all, None selects nothing."""
    if selector is None:
        return False
    for key, value in selector.match_labels.items():
        if labels.get(key) != value:
            return False
    return all(holds(requirement, labels) for requirement in selector.match_expressions)


def selects_all(selector: LabelSelector) -> bool:
    """An empty selector, which asks nothing."""
    return not selector.match_labels and not selector.match_expressions


def term_selects(term: NodeSelectorTerm, node: Node) -> bool:
    """Whether one term selects a node; an empty or malformed term selects none."""
    if not term.expressions and not term.fields:
        return False
    if not all(_well_formed(expression) for expression in term.expressions):
        return False
    return all(holds(expression, node.meta.labels) for expression in term.expressions) and all(
        field_holds(field, node.name) for field in term.fields
    )


def field_holds(field: Requirement, name: str) -> bool:
    """A matchFields expression: In or NotIn with exactly one value, on metadata.name (other fields are empty)."""
    if len(field.values) != 1:
        return False
    same = field.values[0] == (name if field.key == NAME_FIELD else "")
    return same if field.operator == "In" else field.operator == "NotIn" and not same


def node_selected(selector: NodeSelector, node: Node) -> bool:
    """Whether any term selects the node."""
    return any(term_selects(term, node) for term in selector.terms)


def _well_formed(expression: Requirement) -> bool:
    match expression.operator:
        case "In" | "NotIn":
            return bool(expression.values)
        case "Exists" | "DoesNotExist":
            return not expression.values
        case "Gt" | "Lt":
            return len(expression.values) == 1 and integer(expression.values[0]) is not None
        case _:
            return False


def tolerates(toleration: Toleration, taint: Taint, *, comparisons: bool) -> bool:
    """Whether a toleration tolerates a taint.

    Args:
        toleration: Of a pod.
        taint: Of a node.
        comparisons: Gt and Lt count (gate TaintTolerationComparisonOperators): the taint's value is greater, or less,
            than the toleration's, both plain integers; otherwise such a toleration tolerates nothing.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "" | "Equal":
            return toleration.value == taint.value
        case "Exists":
            return True
        case "Gt" | "Lt" if comparisons:
            bound, number = _canonical(toleration.value), _canonical(taint.value)
            if bound is None or number is None:
                return False
            return number > bound if toleration.operator == "Gt" else number < bound
        case _:
            return False


def _canonical(text: str) -> int | None:
    number = integer(text)
    return number if number is not None and str(number) == text else None


def selector_key(selector: LabelSelector | None) -> Hashable:
    """A hashable stand-in for a selector: equal ones have equal keys."""
    if selector is None:
        return None
    return tuple(sorted(selector.match_labels.items())), selector.match_expressions


def expression_text(expression: Requirement) -> str:
    """As `kubectl get -l` writes selectors, and `>`/`<` for Gt and Lt."""
    key, values = expression.key, expression.values
    match expression.operator:
        case "In" if len(values) == 1:
            return f"{key}={values[0]}"
        case "NotIn" if len(values) == 1:
            return f"{key}!={values[0]}"
        case "In" | "NotIn":
            return f"{key} {expression.operator.lower()} ({', '.join(values)})"
        case "Exists":
            return key
        case "DoesNotExist":
            return f"!{key}"
        case "Gt" | "Lt":
            return f"{key} {'>' if expression.operator == 'Gt' else '<'} {', '.join(values)}"
        case _:
            return f"{key} {expression.operator}"
