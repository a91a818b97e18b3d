"""The state of one evaluation: the device, the local variables, and the cost so far."""

from collections.abc import Callable
from typing import Final

from aliquot.cel.values.value import Value


class Unset:
    """Stands for an accumulator whose start hasn't been computed; it is, when first looked at."""


UNSET: Final = Unset()


class Frame:
    """One evaluation. Local variables have numbered places, which the compiler gives out."""

    __slots__ = ("cost", "device", "limit", "locals")

    def __init__(self, device: Value, places: int, limit: int) -> None:
        self.device = device
        """The root map: driver, attributes, capacity, allowMultipleAllocations."""
        self.locals: list[Value] = [UNSET] * places
        self.cost = 0
        self.limit = limit


Run = Callable[[Frame], Value]
"""A compiled expression: evaluates in a frame and charges it."""
