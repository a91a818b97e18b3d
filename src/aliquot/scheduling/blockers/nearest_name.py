"""The name that was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest_name(name: str, names: Iterable[str]) -> str:
    """The nearest of the names; empty if none is near."""
    found = get_close_matches(name, sorted(set(names)), n=1, cutoff=0.7)
    return found[0] if found else ""
