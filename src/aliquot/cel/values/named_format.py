"""Kubernetes' named formats as values."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

NameRule = Callable[[str], list[str]]
"""The complaints about a text; none if it's fine."""


@dataclass(frozen=True, slots=True)
class NamedFormat:
    """A format: its name, its rule, and the length of its pattern as the cost of a check counts it."""

    name: str
    rule: NameRule
    pattern_size: int

    unhashable_in_go: ClassVar[str] = "cel.Format"
