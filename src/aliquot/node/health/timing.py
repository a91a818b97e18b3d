"""How long the watcher waits for what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """In seconds."""

    listen: float = 5.0
    """One wait for XIDs."""
    look: float = 30.0
    """Between looks at everything, while nothing happens."""
    soonest: float = 1.0
    """Between looks, however much happens."""
    answer: float = 300.0
    """The longest that a look may take before it's given up."""
    again: float = 1.0
    """Before something that failed is tried again: at first, then twice as long each time."""
    longest: float = 60.0
    """Between tries."""
    release: float = 300.0
    """Between two times that the driver is let go, so that silent GPUs are looked up anew."""
