"""Making many frozen values quickly.

The generated `__init__` of a frozen dataclass sets each field through `object.__setattr__`, five times as slowly as a
plain assignment. So a value is made as a twin that isn't frozen, and then takes the class that is.
"""

from collections.abc import Callable
from dataclasses import fields, make_dataclass
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")


def quick(kind: Callable[P, T]) -> Callable[P, T]:
    """As good as calling this class, a frozen dataclass with slots and no `__post_init__`; takes all its fields."""

    def freeze(made: Any) -> None:
        made.__class__ = kind

    names = [field.name for field in fields(cast("Any", kind))]
    twin = make_dataclass(f"Quick{len(names)}", names, slots=True, namespace={"__post_init__": freeze})
    return cast("Callable[P, T]", twin)
