"""What the static estimate knows of a call's arguments, and says of the call."""

from collections.abc import Callable
from typing import NamedTuple

from aliquot.cel.cost.device_sizes import device_size
from aliquot.cel.cost.ranges import UNKNOWN, Range
from aliquot.cel.static_types import Type
from aliquot.cel.syntax.nodes import Node


class Argument(NamedTuple):
    """What is known of an argument (or target) of a call."""

    node: Node
    type: Type
    size: Range | None
    path: tuple[str, ...]

    @property
    def length(self) -> Range:
        """Its size, boundless where nothing is known."""
        return self.size or UNKNOWN


class Estimate(NamedTuple):
    """A call's cost, and the size of its result where the function determines it."""

    cost: Range
    result: Range | None = None


CallEstimator = Callable[[Argument | None, list[Argument]], Estimate]
"""(target, arguments) -> estimate; a method's rule is asked with a target only."""


def walk(length: Range) -> Range:
    """Walking once through something of that length."""
    return length.scaled(0.1)


def element_type(target: Argument) -> Type | None:
    """Of a list; but also the first parameter of anything else that has parameters, as in the original."""
    return target.type.params[0] if target.type.params else None


def items_length(target: Argument) -> Range:
    """The length of a list's elements, where the device's schema tells it."""
    size = device_size((*target.path, "@items")) if target.path else None
    return size or UNKNOWN
