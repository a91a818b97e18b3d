"""Whether a node is selected (k8s.io/component-helpers, nodeaffinity)."""

from collections.abc import Mapping

from aliquot.dra.device import Device, Slice
from aliquot.kube.node import Node
from aliquot.kube.selectors import NodeSelector, Requirement

COMPARED = {"Gt", "Lt"}


def reached(node: Node, one: Slice | Device) -> bool:
    """Whether a slice (or a device, where each says for itself) can be used on the node."""
    if one.node_name:
        return one.node_name == node.name
    return bool(one.all_nodes) or (one.node_selector is not None and selected(node, one.node_selector))


def selected(node: Node, selector: NodeSelector) -> bool:
    """Any term, all of its requirements; a term without any selects nothing, nor does a malformed selector."""
    return not malformed(selector) and any(
        (term.expressions or term.fields)
        and all(_holds(one, node.meta.labels) for one in term.expressions)
        and all(_holds(one, {"metadata.name": node.name}) for one in term.fields)
        for term in selector.terms
    )


def _holds(one: Requirement, labels: Mapping[str, str]) -> bool:
    there = one.key in labels
    value = labels.get(one.key, "")
    if one.operator in COMPARED:
        if not there or not value.lstrip("+-").isdigit():
            return False
        bound = int(one.values[0])
        return int(value) > bound if one.operator == "Gt" else int(value) < bound
    return {
        "In": there and value in one.values,
        "NotIn": not there or value not in one.values,
        "Exists": there,
        "DoesNotExist": not there,
    }[one.operator]


def malformed(selector: NodeSelector) -> bool:
    """Whether a requirement says nothing that could hold; the scheduler then gives up on the pod."""
    for term in selector.terms:
        for one in term.expressions:
            numbers = [value for value in one.values if value.lstrip("+-").isdigit()]
            right = {
                "In": bool(one.values),
                "NotIn": bool(one.values),
                "Exists": not one.values,
                "DoesNotExist": not one.values,
                "Gt": len(one.values) == len(numbers) == 1,
                "Lt": len(one.values) == len(numbers) == 1,
            }
            if not right.get(one.operator, False):
                return True
        if any(one.operator not in {"In", "NotIn"} or len(one.values) != 1 for one in term.fields):
            return True
    return False
