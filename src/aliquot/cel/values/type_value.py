"""Types as values."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as a value: what `type(x)` gives."""

    name: str
