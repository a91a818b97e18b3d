"""What goes into a dump: the objects of an API server, or of files (to anonymise what was taken before)."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from aliquot.cluster.header import Header
from aliquot.cluster.problem import Problem

Json = dict[str, Any]
Change = Callable[[Json], Json | None]
"""What becomes of an object in the dump; None: it's left out."""


class Source(Protocol):
    """Objects for a dump."""

    warnings: list[Problem]
    """What couldn't be read; complete once `lines` has ended."""

    def lines(self, change: Change) -> Iterator[bytes]:
        """Every object as it's changed, as JSON without line breaks.

        Raises:
            UnavailableError: nothing can be read that could be judged.
        """
        ...

    def header(self) -> Header:
        """What the dump says about itself, once `lines` has ended."""
        ...
