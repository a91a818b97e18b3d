"""Which kinds a cluster was asked for, and what became of it."""

from dataclasses import dataclass
from typing import Literal

State = Literal["listed", "absent", "forbidden", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """What became of asking for all objects of a kind."""

    kind: str
    resource: str
    """As kubectl takes it: `resourceslices.resource.k8s.io`."""
    version: str = ""
    """Of the API group, in which it was read: `v1`. Empty if it wasn't."""
    state: State = "listed"
    """absent: the API server doesn't have the kind; forbidden: we may not list it; failed: it couldn't be listed."""
    count: int = 0
