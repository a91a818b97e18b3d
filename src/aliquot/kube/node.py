"""A node, as far as placing pods needs it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aliquot.kube.meta import Meta
from aliquot.kube.taints import Taint

Resources = Mapping[str, int]
"""Resource name -> amount in the scheduler's own units: `cpu` in millicores, all others in whole units (bytes, pods,
devices), rounded up as Quantity.MilliValue and Quantity.Value do."""

NO_RESOURCES: Resources = {}


@dataclass(frozen=True, slots=True)
class Node:
    """A node: what it offers and what it refuses."""

    meta: Meta
    allocatable: Resources = field(default_factory=dict[str, int])
    """status.allocatable (the API server copies capacity where it's absent)."""
    capacity: Resources = field(default_factory=dict[str, int])
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False
    """Cordoned."""
    ready: bool | None = None
    """The Ready condition; None when unknown or absent."""
    kubelet_version: str = ""
    declared_features: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    provider: str = ""
    """How spec.providerID begins: `aws`, `gce`, `azure`, `kind`; of machines that nobody manages empty."""
    unheard: str | None = None
    """Of a Ready condition that is Unknown, since the kubelet doesn't answer: its message; None: it isn't."""

    @property
    def name(self) -> str:
        """metadata.name."""
        return self.meta.name
