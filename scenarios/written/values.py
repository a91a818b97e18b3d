"""What slices and claims have in common."""

from typing import Any

from aliquot.kube.selectors import NodeSelector, Requirement
from aliquot.units.quantity import Quantity
from scenarios.drivers import Json


def without_absent(value: Any) -> Any:
    """Without None and empty containers, all the way down: Go's omitempty."""
    if isinstance(value, dict):
        inner = {key: without_absent(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in (None, [], {})}
    if isinstance(value, list):
        return [without_absent(item) for item in value]
    return value


def text(made: Quantity | None) -> str | None:
    """An amount as Go prints it."""
    return None if made is None else made.canonical()


def node_selector(made: NodeSelector | None) -> Json | None:
    """A node selector."""
    if made is None:
        return None
    return {
        "nodeSelectorTerms": [
            {
                "matchExpressions": [requirement(one) for one in term.expressions],
                "matchFields": [requirement(one) for one in term.fields],
            }
            for term in made.terms
        ]
    }


def requirement(made: Requirement) -> Json:
    """One requirement of a term."""
    return {"key": made.key, "operator": made.operator, "values": list(made.values)}
