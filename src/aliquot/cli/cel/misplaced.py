"""Capacities that are looked for among attributes, and the reverse: why many a selector finds nothing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aliquot.cel.running.deep_stack import deep_stack
from aliquot.cel.syntax.device_reads import DeviceRead, device_reads
from aliquot.cel.syntax.nodes import Call, Node
from aliquot.cel.syntax.trees import children
from aliquot.cli.cel.admission import parsed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aliquot.cel import Program
    from aliquot.cli.cel.devices import Device


def compared_as_quantities(expression: str) -> tuple[str, ...]:
    """What to say of attributes that an expression compares with quantities, which no attribute is."""
    with deep_stack():
        root = parsed(expression)
        reads = dict.fromkeys(_as_quantities(root)) if root is not None else {}
    return tuple(
        f"attributes are never quantities: {name} is probably a capacity, {_written('capacity', domain, name)}"
        for _, domain, name in reads
    )


def _as_quantities(node: Node) -> Iterator[DeviceRead]:
    if isinstance(node, Call):
        operands = [*([node.target] if node.target is not None else []), *node.args]
        if any(isinstance(one, Call) and one.function == "quantity" for one in operands):
            for operand in operands:
                if isinstance(operand, Call) and operand.function == "quantity":
                    continue
                yield from (read for read in device_reads(operand) or () if read[0] == "attributes")
    for part in children(node):
        yield from _as_quantities(part)


def misplaced(program: "Program", devices: "Iterable[Device]") -> tuple[str, ...]:
    """What an expression looks for in one of a device's maps while it stands in the other one."""
    told: dict[str, None] = {}
    for device in devices:
        for map_, domain, name in sorted(program.reads or ()):
            sides = (device.attributes, device.capacity)
            own, other = sides if map_ == "attributes" else sides[::-1]
            if _has(own, device.driver, domain, name) or not _has(other, device.driver, domain, name):
                continue
            kind, where = ("a capacity", "capacity") if map_ == "attributes" else ("an attribute", "attributes")
            owner = f"{kind} of {device.driver}'s devices"
            told[f"{name} is {owner}, not in {map_}: write {_written(where, domain, name)}"] = None
    return tuple(told)


def _has(members: "Iterable[str]", driver: str, domain: str, name: str) -> bool:
    """A name without a domain is of the driver's own."""
    keys = set(members)
    return f"{domain}/{name}" in keys or (domain == driver and name in keys)


def _written(map_: str, domain: str, name: str) -> str:
    return f"device.{map_}['{domain}'].{name}"
