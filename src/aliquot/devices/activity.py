"""How busy a GPU or one of its MIG instances is."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """Shares of time or of units, 0 to 1, over the moment just past; None: not measured there.

    `busy` says that something ran, not how much of the GPU it filled: one thread makes it 1. The others fill it.
    """

    gi: int | None = None
    """The MIG instance; None for the whole GPU."""
    busy: float | None = None
    """Time with at least one kernel running."""
    sm: float | None = None
    """Multiprocessors with work, averaged."""
    occupancy: float | None = None
    """Warps on them, of the most they hold."""
    tensor: float | None = None
    """Tensor cores at work."""
    dram: float | None = None
    """Memory bandwidth used."""
