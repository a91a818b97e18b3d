"""NodeAffinity: the pod's nodeSelector and its required node affinity."""

from collections.abc import Iterator

from aliquot.kube.matching import NAME_FIELD, expression_text, field_holds, holds, node_selected
from aliquot.kube.node import Node
from aliquot.kube.pod import Pod
from aliquot.kube.selectors import NodeSelectorTerm, Requirement
from aliquot.scheduling.filters.reason import Reason

FILTER = "NodeAffinity"
TEXT = "node(s) didn't match Pod's node affinity/selector"
LEFT_OUT = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
CONFLICT = "pod affinity terms conflict"


def wanted(pod: Pod, node: Node) -> bool:
    """Whether the node has what nodeSelector asks, and one term of the required affinity selects it."""
    labels = node.meta.labels
    for key, value in pod.node_selector.items():
        if labels.get(key) != value:
            return False
    required = pod.affinity.node if pod.affinity else None
    return required is None or node_selected(required, node)


def unwanted(pod: Pod, node: Node) -> tuple[Reason, ...]:
    """Every label that is wrong or missing; of alternative terms, those of the one that lacks least."""
    if wanted(pod, node):
        return ()
    lacks = [Requirement(key, "In", (value,)) for key, value in pod.node_selector.items()]
    lacks = [expression for expression in lacks if not holds(expression, node.meta.labels)]
    required = pod.affinity.node if pod.affinity else None
    if required is not None and not node_selected(required, node):
        nearest: list[list[Requirement]] = sorted((list(_lacks(term, node)) for term in required.terms), key=len)
        lacks += nearest[0] if nearest else []
    if not lacks:  # an empty list of terms, or only empty or malformed terms: nothing can match
        return (Reason(FILTER, TEXT, asked="a term that selects a node", found="none does"),)
    return tuple(
        Reason(
            FILTER,
            TEXT,
            asked=expression_text(expression),
            found=_found(expression, node),
            missing=expression_text(expression),
            subject=expression.key,
            counts=nth == 0,
        )
        for nth, expression in enumerate(lacks)
    )


def _lacks(term: NodeSelectorTerm, node: Node) -> Iterator[Requirement]:
    for expression in term.expressions:
        if not holds(expression, node.meta.labels):
            yield expression
    for field in term.fields:
        if not field_holds(field, node.name):
            yield field


def _found(expression: Requirement, node: Node) -> str:
    value = node.name if expression.key == NAME_FIELD else node.meta.labels.get(expression.key)
    return f"no label {expression.key}" if value is None else f"{expression.key}={value}"


def named_nodes(pod: Pod) -> frozenset[str] | None:
    """The only nodes that can match, if every required term names some by metadata.name; else None.

    The scheduler looks at no others (PreFilter). Empty: the terms contradict themselves, it gives up at once.
    """
    required = pod.affinity.node if pod.affinity else None
    if required is None or not required.terms:
        return None
    names: frozenset[str] = frozenset()
    for term in required.terms:
        lists = [frozenset(f.values) for f in term.fields if f.key == NAME_FIELD and f.operator == "In"]
        if not lists:
            return None
        names |= lists[0].intersection(*lists[1:])
    return names
