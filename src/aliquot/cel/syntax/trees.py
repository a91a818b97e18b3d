"""Walking through syntax trees."""

from aliquot.cel.syntax.nodes import Call, Fold, ListNode, MapNode, Message, Node, Select


def children(node: Node) -> list[Node]:
    """The direct parts, in the order of evaluation of a plain walk; each part of a tree is met once, `Again` or not."""
    if isinstance(node, Call):
        return [*((node.target,) if node.target is not None else ()), *node.args]
    if isinstance(node, Select):
        return [node.operand]
    if isinstance(node, ListNode):
        return node.items
    if isinstance(node, MapNode):
        return [part for entry in node.entries for part in (entry.key, entry.value)]
    if isinstance(node, Message):
        return [entry.value for entry in node.entries]
    if isinstance(node, Fold):
        return [node.range, node.init, node.condition, node.step, node.result]
    return []
