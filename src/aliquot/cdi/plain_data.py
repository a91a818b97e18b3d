"""Telling apart the values of plain data, as JSON and YAML have it: for readers of data that somebody else wrote."""

from typing import Any, TypeGuard


def is_object(data: Any) -> TypeGuard[dict[str, Any]]:
    """Tell whether the data is an object."""
    return isinstance(data, dict)


def is_list(data: Any) -> TypeGuard[list[Any]]:
    """Tell whether the data is a list."""
    return isinstance(data, list)
