"""Quantities that were computed, apart from those that were read."""

from aliquot.cel.values.value import Value
from aliquot.units.quantity import Quantity


class ComputedQuantity:
    """A quantity that was computed. Go holds it by pointer, which its `==` doesn't recognise on the right side."""

    __slots__ = ("quantity",)

    def __init__(self, quantity: Quantity) -> None:
        self.quantity = quantity


def quantity_of(value: Value) -> Quantity:
    """The amount of a quantity, read or computed."""
    return value.quantity if type(value) is ComputedQuantity else value
