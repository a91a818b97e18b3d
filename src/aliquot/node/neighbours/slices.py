"""ResourceSlices of a driver and a node that somebody else has written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from aliquot.node.neighbours.found import Json


@dataclass(frozen=True, slots=True)
class ForeignSlice:
    """A slice, and who wrote its spec."""

    name: str
    managers: tuple[str, ...]
    """Field managers; none: the server doesn't say."""

    def __str__(self) -> str:
        return f"{self.name} (by {', '.join(self.managers)})" if self.managers else self.name


def foreign(slices: Sequence[Json], driver: str, node: str, ours: frozenset[str]) -> tuple[ForeignSlice, ...]:
    """Those that aren't ours.

    Args:
        slices: of the cluster, or of the node.
        driver: by its name.
        node: by its name.
        ours: our field managers.
    """
    return tuple(
        ForeignSlice(str(one["metadata"]["name"]), writers)
        for one in slices
        if one["spec"].get("driver") == driver and one["spec"].get("nodeName") == node
        for writers in (_managers(one["metadata"]),)
        if not ours.intersection(writers)
    )


def _managers(meta: Mapping[str, Any]) -> tuple[str, ...]:
    """Who wrote the spec: others may have put a label there."""
    entries = meta.get("managedFields") or ()
    return tuple(
        dict.fromkeys(str(one.get("manager", "")) for one in entries if "f:spec" in (one.get("fieldsV1") or {"f:spec"}))
    )
