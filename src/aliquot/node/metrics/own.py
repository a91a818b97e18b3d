"""The agent's own work, counted."""

from collections.abc import Callable
from typing import Final

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

PREFIX = "aliquot_node"
_without_times: Final[Callable[[], None]] = prometheus_client.disable_created_metrics
"""No series beside each counter that says since when it counts."""
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 45.0)
"""Upper edges; the kubelet waits 45 s for an answer."""


def registry() -> CollectorRegistry:
    """A new one, with nothing in it."""
    return CollectorRegistry()


class Own:
    """The series that the agent writes to; every method of them may be called from any thread."""

    def __init__(self, registry: CollectorRegistry, version: str) -> None:
        """`version`: the agent's."""
        _without_times()
        about = Gauge(f"{PREFIX}_info", "The agent; its value is 1.", ["version"], registry=registry)
        about.labels(version).set(1)
        self.prepare_seconds = Histogram(
            f"{PREFIX}_prepare_seconds",
            "How long it took to prepare a claim, or to refuse it.",
            ["outcome"],
            buckets=SECONDS,
            registry=registry,
        )
        """outcome: `prepared`, `refused`."""
        self.unprepare_seconds = Histogram(
            f"{PREFIX}_unprepare_seconds",
            "How long it took to take a claim's devices back, or to fail at it.",
            ["outcome"],
            buckets=SECONDS,
            registry=registry,
        )
        """outcome: `unprepared`, `refused`."""
        self.errors = Counter(f"{PREFIX}_errors", "What failed, by what was done.", ["operation"], registry=registry)
        """operation: `prepare`, `unprepare`, `publish`, `checkpoint`, `labels`, …"""
        self.leaks = Counter(
            f"{PREFIX}_leaks_found",
            "Things that a claim left behind and that were found and removed.",
            ["kind"],
            registry=registry,
        )
        """kind: `instance`, `daemon`, `spec`, `compute-mode`, `checkpoint-entry`."""
        self.prepared = Gauge(
            f"{PREFIX}_prepared_devices", "Devices that are prepared for claims now.", ["driver"], registry=registry
        )
        ProcessCollector(registry=registry)
