"""PodDisruptionBudget: how many of a group of pods may be evicted."""

from dataclasses import dataclass

from aliquot.kube.meta import Meta
from aliquot.kube.selectors import LabelSelector


@dataclass(frozen=True, slots=True)
class DisruptionBudget:
    """policy/v1 PodDisruptionBudget."""

    meta: Meta
    selector: LabelSelector | None = None
    allowed: int = 0
    """status.disruptionsAllowed: how many pods may go now."""
    disrupted: frozenset[str] = frozenset()
    """status.disruptedPods: names of pods whose eviction was granted, and which are still there."""
    min_available: str | None = None
    """As written: a number or a percentage."""
    max_unavailable: str | None = None
    healthy: int | None = None
    desired: int | None = None
