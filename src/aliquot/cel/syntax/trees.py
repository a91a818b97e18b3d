"""Walking through syntax trees, and copying them."""

from aliquot.cel.syntax.nodes import Call, Entry, Fold, Ident, ListNode, Literal, MapNode, Message, Node, Select


def children(node: Node) -> list[Node]:
    """The direct parts, in the order of evaluation of a plain walk."""
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


def copied(node: Node) -> Node:
    """A deep copy, for macros that need an argument twice."""
    if isinstance(node, Literal):
        return Literal(node.at, node.value)
    if isinstance(node, Ident):
        return Ident(node.at, node.name)
    if isinstance(node, Select):
        return Select(node.at, copied(node.operand), node.field, test=node.test)
    if isinstance(node, Call):
        target = None if node.target is None else copied(node.target)
        return Call(node.at, node.function, target, [copied(arg) for arg in node.args])
    if isinstance(node, ListNode):
        return ListNode(node.at, [copied(item) for item in node.items], node.optional)
    if isinstance(node, MapNode):
        return MapNode(node.at, [_copied_entry(entry) for entry in node.entries])
    if isinstance(node, Message):
        return Message(node.at, node.name, [_copied_entry(entry) for entry in node.entries])
    assert isinstance(node, Fold)
    parts = [copied(part) for part in (node.init, node.condition, node.step, node.result)]
    return Fold(node.at, copied(node.range), node.var, node.var2, node.accumulator, *parts)


def _copied_entry(entry: Entry) -> Entry:
    return Entry(entry.at, copied(entry.key), copied(entry.value), optional=entry.optional)


def size(node: Node) -> int:
    """How many nodes a tree has."""
    count, waiting = 0, [node]
    while waiting:
        count += 1
        waiting.extend(children(waiting.pop()))
    return count
