"""The Python types that are a CEL list."""

from typing import Final

from aliquot.cel.values.value import Value


class Joined(list[Value]):
    """A list made by joining two: unlike Go's plain list, its `==` reports an error of its elements."""

    __slots__ = ()


LISTS: Final = frozenset({list, tuple, Joined})
"""The Python types that are a CEL list."""
