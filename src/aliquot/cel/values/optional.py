"""Optional values."""

from typing import Final

from aliquot.cel.values.value import Value


class Optional:
    """A value that may be absent; `NONE` is the absent one."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


NONE: Final = Optional(None)
"""The absent value; an optional that holds null is another."""
