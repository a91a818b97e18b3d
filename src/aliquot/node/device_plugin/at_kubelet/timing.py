"""How long the device plugin waits, in seconds."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The defaults are for nodes; tests wait less."""

    look_s: float = 1.0
    """Between looks at the folder of sockets, where nothing tells of a change there."""
    retry_first_s: float = 0.5
    """After a registration that failed; doubled up to `retry_most_s`."""
    retry_most_s: float = 30.0
    register_s: float = 10.0
    """For a registration; the kubelet dials back within it."""
    alone_s: float = 10.0
    """From a registration, or from the end of the last stream, until a kubelet that doesn't listen is asked again."""
    alone_most_s: float = 300.0
    """The same, at most: doubled each time that it stops listening soon."""
    hear_s: float = 1.0
    """For a kubelet to hear the last list of a resource that is given up."""
