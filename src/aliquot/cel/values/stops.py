"""Ways out of an evaluation that nothing in the expression can absorb."""

from typing import Final


class Panic(Exception):  # noqa: N818  Go's word: it unwinds everything, nothing absorbs it
    """What is a recovered panic in Go: it ends the evaluation, whatever surrounds it."""


class TooCostly(Exception):  # noqa: N818  a way out of the evaluation, caught by the program
    """The run-time cost passed the limit; nothing absorbs it."""

    def __init__(self, cost: int = 0) -> None:
        super().__init__(cost)
        self.cost = cost
        """The cost at which evaluation stopped; 0 where a text would have grown too long."""


TEXT_LIMIT: Final = 2**26
"""Characters. A longer text isn't made: Go would run out of memory before its cost limit noticed."""
