"""Which attributes and capacities an expression can look at: devices that agree in them get the same answer."""

from typing import Final

from aliquot.cel.operator_names import IN, INDEX, OPT_INDEX, OPT_SELECT
from aliquot.cel.syntax.nodes import Call, Ident, Literal, Node, Select
from aliquot.cel.syntax.trees import children

DeviceRead = tuple[str, str, str]
"""`attributes` or `capacity`, domain, name."""

_MAPS: Final = ("attributes", "capacity")
_FIELDS: Final = ("driver", "allowMultipleAllocations")
_ACCESS: Final = (INDEX, OPT_INDEX, OPT_SELECT)


def device_reads(root: Node) -> frozenset[DeviceRead] | None:
    """What an expression names, besides the driver and allowMultipleAllocations; None: it may look at anything.

    The names are those it *can* read, whatever it does with them: selected, indexed, tested or optional.
    """
    found: set[DeviceRead] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        named = _named(node)
        if named is not None:
            operand, name = named
            domain = _domain(operand)
            if domain is not None:
                found.add((*domain, name))
                continue
            if _is_device(operand) and name in _FIELDS:
                continue
        if isinstance(node, Call) and node.function == IN and isinstance(node.args[0], Literal):
            domain = _domain(node.args[1])
            if domain is not None and isinstance(node.args[0].value, str):
                found.add((*domain, node.args[0].value))
                continue
        if _is_device(node):
            return None
        waiting.extend(children(node))
    return frozenset(found) if all(part.isascii() for read in found for part in read) else None


def _domain(node: Node) -> tuple[str, str] | None:
    """The map and domain of `device.attributes['domain']`."""
    named = _named(node)
    if named is None:
        return None
    operand, domain = named
    of_device = _named(operand)
    if of_device is None or not _is_device(of_device[0]) or of_device[1] not in _MAPS:
        return None
    return of_device[1], domain


def _named(node: Node) -> tuple[Node, str] | None:
    """What a node takes a named part of, and the name."""
    if isinstance(node, Select):
        return node.operand, node.field
    if isinstance(node, Call) and node.function in _ACCESS and isinstance(node.args[1], Literal):
        name = node.args[1].value
        return (node.args[0], name) if isinstance(name, str) else None
    return None


def _is_device(node: Node) -> bool:
    return isinstance(node, Ident) and node.name == "device"
